import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { subTurnsOf } from './sub-turns.ts'
import type { ToolResult } from '../result.ts'
import type { Tool } from '../tool.ts'

/** Does several things at once, in sub-turns that know all that the turn knows. */
export const fork: Tool = defineTool({
  id: 'fork',
  title: 'Fork',
  description:
    'Goes on in side turns at once, one a prompt, and gives all answers. Each knows this conversation and has your tools.',
  access: 'execute',
  input: z.strictObject({ prompts: z.array(z.string()).min(1).max(8) }),
  parameters: { prompts: '1 to 8 tasks.' },
  // What may do harm is a call in the side turn, which asks for itself.
  asks: () => 'nobody',
  run: async ({ prompts }, context) => {
    const subTurns = subTurnsOf(context)
    const work = prompts.map((prompt, index) => subTurns.run({ prompt, part: [index + 1, prompts.length] }))
    return joined(await Promise.all(work))
  },
})

/** All answers under numbers; an error only if none went well. */
const joined = (results: readonly ToolResult[]): ToolResult => ({
  content: results.map(({ content }, index) => `[${index + 1}] ${content}`).join('\n\n'),
  isError: results.every(({ isError }) => isError),
})
