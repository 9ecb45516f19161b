import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { subTurnsOf } from './sub-turns.ts'
import type { Tool } from '../tool.ts'

/** Starts a sub-turn that knows only its prompt. It asks nobody: each tool call of the sub-turn asks where it must. */
export const spawnAgent: Tool = defineTool({
  id: 'spawn_agent',
  title: 'Spawn Agent',
  description:
    'Lets a model do one task in a turn of its own, which knows nothing of this conversation but the prompt, and ' +
    'gives you its answer. It has at most the tools that you have.',
  access: 'execute',
  input: z.strictObject({
    prompt: z.string(),
    tools: z.array(z.string().max(200)).max(100).optional(),
    model: z.string().max(64).optional(),
  }),
  parameters: {
    prompt: 'The whole task: what to do, with what, and what to answer.',
    tools: 'Which of your tools it may use: names or patterns such as "Gr*"; all of them when absent.',
    model: 'Name of another model that is to do it; yourself when absent.',
  },
  // What may do harm is a call in the side turn, which asks for itself.
  asks: () => 'nobody',
  run: async ({ prompt, tools, model }, context) =>
    subTurnsOf(context).run({ prompt, scope: tools, model: model?.replace(/^@/, '') }),
})
