import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import type { Tool } from '../tool.ts'
import { Refusal } from '../../words/errors.ts'
import type { SubTurns, ToolContext } from '../context.ts'

export const spawnAgent: Tool = defineTool({
  id: 'spawn_agent',
  title: 'Spawn Agent',
  description:
    'Gives a task to a model in a turn of its own and returns the answer. It knows nothing but the prompt.',
  access: 'execute',
  input: z.strictObject({
    prompt: z.string().describe('The whole task, and what to answer.'),
    tools: z.array(z.string().max(200)).max(100).describe('Patterns of yours; default: all.').optional(),
    model: z.string().max(64).describe('Default: yourself.').optional(),
  }),
  // Calls inside the side turn ask for permission themselves.
  asks: () => 'nobody',
  run: async ({ prompt, tools, model }, context) =>
    subTurnsOf(context).run({ prompt, scope: tools, model: model?.replace(/^@/, '') }),
})

export const fork: Tool = defineTool({
  id: 'fork',
  title: 'Fork',
  description:
    'Goes on in side turns at once, one a prompt, and gives all answers. Each knows this conversation and has ' +
    'your tools.',
  access: 'execute',
  input: z.strictObject({ prompts: z.array(z.string()).min(1).max(8).describe('1 to 8 tasks.') }),
  // Calls inside the side turn ask for permission themselves.
  asks: () => 'nobody',
  run: async ({ prompts }, context) => {
    const subTurns = subTurnsOf(context)
    const work = prompts.map((prompt, index) => subTurns.run({ prompt, part: [index + 1, prompts.length] }))
    const results = await Promise.all(work)
    return {
      content: results.map(({ content }, index) => `[${index + 1}] ${content}`).join('\n\n'),
      isError: results.every(({ isError }) => isError),
    }
  },
})

/** Throws `Refusal` if a person calls the tool, who has no turn. */
function subTurnsOf({ chat: { turn } }: ToolContext): SubTurns {
  if (!turn) throw new Refusal('only a model in its turn can start a side turn')
  return turn.subTurns
}
