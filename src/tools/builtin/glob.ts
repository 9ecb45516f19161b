import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { ok } from '../result.ts'

/** Files by the pattern of their paths; needs no program. */
export const glob = defineTool({
  id: 'glob',
  title: 'Find Files by Pattern',
  description:
    'Finds files of the workspace by a pattern of their paths: **/*.ts in any directory, src/*.c in one, ' +
    '*.{md,txt} for names anywhere. Links are passed over, .git and node_modules unless they are named.',
  access: 'read',
  yields: true,
  input: z.strictObject({ pattern: z.string().min(1).max(1000), path: z.string().min(1).optional() }),
  parameters: {
    pattern: '* and ? stop at /, ** does not; also [a-z] and {a,b}. Without / it is for the name alone.',
    path: 'Directory to look in, which the pattern is relative to; the whole workspace when absent.',
  },
  run: async ({ pattern, path }, context) => {
    const { paths, cut } = await context.workspace.findFiles({ pattern, path }, context.signal)
    return ok([...(paths.length > 0 ? paths : ['No files.']), ...(cut ? [`[cut: ${cut}]`] : [])].join('\n'))
  },
})
