import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { subTurnsOf } from './sub-turns.ts'
import type { Tool } from '../tool.ts'

/** Starts a sub-turn that knows only its prompt. It asks nobody: each tool call of the sub-turn asks where it must. */
export const spawnAgent: Tool = defineTool({
  id: 'spawn_agent',
  title: 'Spawn Agent',
  description:
    'Gives a task to a model in a turn of its own and returns the answer. It knows nothing but the prompt.',
  access: 'execute',
  input: z.strictObject({
    prompt: z.string(),
    tools: z.array(z.string().max(200)).max(100).optional(),
    model: z.string().max(64).optional(),
  }),
  parameters: {
    prompt: 'The whole task, and what to answer.',
    tools: 'Patterns of yours; default: all.',
    model: 'Default: yourself.',
  },
  // What may do harm is a call in the side turn, which asks for itself.
  asks: () => 'nobody',
  run: async ({ prompt, tools, model }, context) =>
    subTurnsOf(context).run({ prompt, scope: tools, model: model?.replace(/^@/, '') }),
})
