import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import type { FoundLine, FoundText } from '../ports/workspace.ts'
import { ok } from '../result.ts'

/** Lines of files by a regular expression; needs no program. */
export const grep = defineTool({
  id: 'grep',
  title: 'Search in Files',
  description:
    'Searches the text files of the workspace for a regular expression and gives PATH:LINE:TEXT for each ' +
    'line. Links and binary files are passed over, .git and node_modules unless they are named.',
  access: 'read',
  yields: true,
  input: z.strictObject({
    pattern: z.string().min(1).max(1000),
    path: z.string().min(1).optional(),
    glob: z.string().min(1).max(1000).optional(),
    ignore_case: z.boolean().default(false),
    literal: z.boolean().default(false),
    context: z.int().min(0).max(10).default(0),
  }),
  parameters: {
    pattern: 'Regular expression (RE2: no backreferences, no lookaround), tried on each line.',
    path: 'Directory or file to search in; the whole workspace when absent.',
    glob: 'Only in files that fit, such as *.ts or src/**/*.c.',
    ignore_case: 'Whether small and capital letters are the same.',
    literal: 'Take the pattern as plain text.',
    context: 'Lines to show before and after each match, 0 to 10.',
  },
  run: async ({ ignore_case: ignoreCase, ...query }, context) =>
    ok(written(await context.workspace.searchText({ ...query, ignoreCase }, context.signal))),
})

/** As grep writes it: `:` for lines that match, `-` for those around them, `--` where lines are left out between. */
function written({ lines, files, skipped, cut }: FoundText): string {
  const inGroups = lines.some(({ matches }) => !matches)
  const rows = lines.flatMap((line, index) => {
    const mark = line.matches ? ':' : '-'
    const row = `${line.path}${mark}${line.line}${mark}${line.text}`
    return inGroups && isApart(lines[index - 1], line) ? ['--', row] : [row]
  })
  const notes = [
    ...(cut ? [`[cut: ${cut}]`] : []),
    ...(lines.length === 0 ? [`No matches in ${filesText(files, skipped)}.`] : []),
  ]
  return [...rows, ...notes].join('\n')
}

/** True where something stands between two lines. */
const isApart = (before: FoundLine | undefined, line: FoundLine): boolean =>
  before !== undefined && (before.path !== line.path || before.line + 1 !== line.line)

const filesText = (files: number, skipped: number): string =>
  `${files} ${files === 1 ? 'file' : 'files'}${skipped > 0 ? `; ${skipped} passed over that are not text or cannot be read` : ''}`
