import { plainRows } from '../lib/text/plain-rows.ts'
import type { CallerKind, Command } from './command.ts'
import { usage } from './parse.ts'

/** What is seen at once on 24 rows, beside the line that asked, the status line and the prompt. */
export const SEEN_ROWS = 21

/** Where something is listed; `rows` are those that there should be at most. */
interface HelpSpace {
  readonly kind: CallerKind
  readonly columns: number
  readonly rows?: number
}

/** Commands with as many words as there are rows for: on a narrow screen without some examples, then in short. */
export function briefly(
  commands: readonly Command[],
  { kind, columns, rows = SEEN_ROWS }: HelpSpace,
): readonly string[] {
  const ways = [whole, withoutExampleRow, gistInOneRow, inTwoRows].map((way) =>
    commands.flatMap((command) => way(partsOf(command, kind), columns)),
  )
  return ways.find(({ length }) => length <= rows) ?? ways.at(-1) ?? []
}

/** The form of a command, what it does in a few words, and an example; empty where it is the form. */
interface Brief {
  readonly form: string
  readonly what: string
  readonly such: string
}

function partsOf(command: Command, kind: CallerKind): Brief {
  const [form, example] = [usage(command, kind), exampleOf(command, kind)]
  return { form, what: `  ${gist(command)}`, such: form === example ? '' : `  e.g. ${example}` }
}

/** Two rows where they have room. */
function whole(brief: Brief, columns: number): readonly string[] {
  const { form, what, such } = brief
  if (form.length + such.length <= columns) return withoutExampleRow(brief, columns)
  if (what.length + such.length <= columns) return [...formRows(brief, columns), what + such]
  return [...withoutExampleRow(brief, columns), ...plainRows(such, columns, '    ')]
}

const withoutExampleRow = (brief: Brief, columns: number): readonly string[] => [
  ...formRows(brief, columns),
  ...plainRows(brief.what, columns, '  '),
]

const gistInOneRow = (brief: Brief, columns: number): readonly string[] => [
  ...formRows(brief, columns),
  oneRow(brief.what, columns),
]

function inTwoRows(brief: Brief, columns: number): readonly string[] {
  const [form = '', ...more] = formRows(brief, columns)
  return [more.length === 0 ? form : oneRow(brief.form, columns), oneRow(brief.what, columns)]
}

/** As many whole words as fit; `…` says that there are more. */
function oneRow(text: string, columns: number): string {
  const [row = '', ...more] = plainRows(text, columns - 1, '  ')
  return more.length === 0 ? row : `${row}…`
}

/** The form, and the example where it fits behind it. */
const formRows = ({ form, such }: Brief, columns: number): readonly string[] =>
  form.length + such.length <= columns ? [form + such] : plainRows(form, columns, '  ')

/** The first part of a command's summary. */
export const gist = ({ summary }: Pick<Command, 'summary'>): string => summary.split(/[;:] /, 1)[0] ?? ''

/** A line that works, as this caller types it. */
export function exampleOf({ name, room, example }: Command, kind: CallerKind): string {
  const words = [name, ...(kind === 'script' && room !== 'none' ? ['ROOM'] : []), example]
  const line = words.filter((word) => word !== '').join(' ')
  return kind === 'session' ? `/${line}` : line
}
