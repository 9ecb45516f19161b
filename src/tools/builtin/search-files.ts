import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { ok } from '../results/result.ts'
import type { FoundLine, FoundText } from '../workspace.ts'

const pattern = z.string().min(1).max(1000)
const path = z.string().min(1)

export const glob = defineTool({
  id: 'glob',
  title: 'Find Files by Pattern',
  description:
    'Finds files of the workspace by a pattern of their paths: **/*.ts in any directory, src/*.c in one, ' +
    '*.{md,txt} for names anywhere. Links are passed over, .git and node_modules unless they are named.',
  access: 'read',
  yields: true,
  input: z.strictObject({
    pattern: pattern.describe(
      '* and ? stop at /, ** does not; also [a-z] and {a,b}. Without / it is for the name alone.',
    ),
    path: path
      .describe('Directory to look in, which the pattern is relative to; the whole workspace when absent.')
      .optional(),
  }),
  run: async ({ pattern, path }, context) => {
    const { paths, cut } = await context.workspace.findFiles({ pattern, path }, context.signal)
    return ok(
      [
        ...(paths.length > 0 ? paths.map(visibleLine) : ['No files.']),
        ...(cut ? [`[cut: ${cut}]`] : []),
      ].join('\n'),
    )
  },
})

export const grep = defineTool({
  id: 'grep',
  title: 'Search in Files',
  description:
    'Searches the text files of the workspace for a regular expression and gives PATH:LINE:TEXT for each ' +
    'line. Links and binary files are passed over, .git and node_modules unless they are named.',
  access: 'read',
  yields: true,
  input: z.strictObject({
    pattern: pattern.describe(
      'Regular expression (RE2: no backreferences, no lookaround), tried on each line.',
    ),
    path: path.describe('Directory or file to search in; the whole workspace when absent.').optional(),
    glob: pattern.describe('Only in files that fit, such as *.ts or src/**/*.c.').optional(),
    ignore_case: z.boolean().describe('Whether small and capital letters are the same.').default(false),
    literal: z.boolean().describe('Take the pattern as plain text.').default(false),
    context: z
      .int()
      .min(0)
      .max(10)
      .describe('Lines to show before and after each match, 0 to 10.')
      .default(0),
  }),
  run: async ({ ignore_case: ignoreCase, ...query }, context) =>
    ok(formatLines(await context.workspace.searchText({ ...query, ignoreCase }, context.signal))),
})

/** Writes lines as grep does: `:` after matches, `-` after context, `--` between groups. */
function formatLines({ lines, files, skipped, cut }: FoundText): string {
  const inGroups = lines.some(({ matches }) => !matches)
  const rows = lines.flatMap((line, index) => {
    const mark = line.matches ? ':' : '-'
    const row = `${visibleLine(line.path)}${mark}${line.line}${mark}${line.text}`
    return inGroups && hasGap(lines[index - 1], line) ? ['--', row] : [row]
  })
  const notes = [
    ...(cut ? [`[cut: ${cut}]`] : []),
    ...(lines.length === 0 ? [`No matches in ${filesText(files, skipped)}.`] : []),
  ]
  return [...rows, ...notes].join('\n')
}

const hasGap = (before: FoundLine | undefined, line: FoundLine): boolean =>
  before !== undefined && (before.path !== line.path || before.line + 1 !== line.line)

const filesText = (files: number, skipped: number): string =>
  `${files} ${files === 1 ? 'file' : 'files'}` +
  (skipped > 0 ? `; ${skipped} passed over that are not text or cannot be read` : '')
