import { bytes, duration } from '../base/amounts.ts'
import type { Json } from '../base/json.ts'
import { readAmount, shownAmount } from '../base/price.ts'
import { headOf } from '../base/text/characters.ts'
import { cleanLine, cleanText } from '../base/text/clean-text.ts'
import { markdownText } from '../base/text/markdown.ts'
import { fileEntryText } from './file-notes.ts'
import type { ActionEntry, Entry, MessageEntry, ToolCallEntry, ToolResultEntry, Usage } from './entry.ts'

/** Formats an entry for pipes and `history`. Indented later lines cannot read as another speaker. */
export function entryLine(entry: Entry): string {
  return indentLater(formatEntry(entry))
}

/** UTF-16 units of an entry on one row, such as a pin. */
const MAX_ROW_UNITS = 300

export function entryRow(entry: Entry): string {
  const row = cleanLine(entryLine(entry)).replace(/\s+/g, ' ').trim()
  const head = headOf(row, MAX_ROW_UNITS)
  return head === row ? row : `${head}…`
}

export const pinRows = (pins: readonly Entry[]): readonly string[] =>
  pins.map((pin, index) => `pinned ${index + 1}: ${entryRow(pin)}`)

function formatEntry(entry: Entry): string {
  if (entry.thread !== undefined) return `-- ${threadLine(entry)}`
  switch (entry.kind) {
    case 'message':
      return `${shownName(entry.author)}${messageMarks(entry)}: ${entry.text}`
    case 'reply':
      return `${shownName(entry.author)}${copiedMark(entry)}: ${entry.text}`
    case 'action':
      return `* ${shownName(entry.author)}${copiedMark(entry)} ${actionText(entry)}`
    case 'presence':
    case 'notice':
    case 'routine':
      return `-- ${entry.text}`
    case 'scope':
    case 'approval':
      return `-- ${shownName(entry.author)}: ${entry.text}`
    case 'file':
      return `-- ${shownName(entry.author)}: ${fileEntryText(entry)}`
    case 'tool_call':
      return `-- ${shownName(entry.author)}: ${toolCallLine(entry)}`
    case 'tool_result':
      return `-- ${toolResultLine(entry)}`
  }
}

/** Puts a name on one line without control characters, so that it cannot read as another speaker. */
export const shownName = (name: string): string => cleanLine(name)

/** Marks after a message's author, such as ` (routine 3)` and ` (edited)`. No name ends like them. */
export const messageMarks = (
  message: Pick<MessageEntry, 'edits' | 'edited' | 'routine' | 'copied'>,
): string => routineMark(message) + editedMark(message) + copiedMark(message)

/** The mark of a line that a fork copied from its original room. */
export const copiedMark = ({ copied }: Pick<Entry, 'copied'>): string => (copied ? ' (copied)' : '')

export const routineMark = ({ routine }: Pick<MessageEntry, 'routine'>): string =>
  routine === undefined ? '' : ` (routine ${routine})`

export const editedMark = ({ edits, edited }: Pick<MessageEntry, 'edits' | 'edited'>): string =>
  edits === undefined && edited === undefined ? '' : ' (edited)'

export const actionText = ({ text, reacts, to }: Pick<ActionEntry, 'text' | 'reacts' | 'to'>): string =>
  reacts === undefined ? text : `reacted ${text} to ${to === undefined ? 'a line' : shownName(to)}`

/** `Executing tool: Grep {"arguments":["-rn","TODO","."]}`, or `Did not run tool: …` for a denied call. */
export const toolCallLine = ({ name, arguments: args, notRun }: CallFacts): string =>
  `${notRun ? 'Did not run tool' : 'Executing tool'}: ${callText({ name, arguments: args })}`

export const callText = ({ name, arguments: args }: CallFacts): string =>
  `${name} ${typeof args === 'string' ? args : JSON.stringify(args)}`

type CallFacts = Pick<ToolCallEntry, 'name' | 'arguments' | 'notRun'>

const MAX_SHOWN_RESULT = 200
const MAX_SHOWN_ERROR = 500

/** Begins the result that a model reads after it called an unknown tool; the names of its tools follow. */
export const UNKNOWN_TOOL = 'ERROR: You requested a tool called '

export const isUnknownTool = ({ tool, text }: ToolResultEntry): boolean =>
  tool === undefined && text.startsWith(UNKNOWN_TOOL)

/** For people: omits the tool names that a model reads after it called an unknown tool. */
export const toolResultLine = (result: ToolResultEntry): string =>
  isUnknownTool(result)
    ? `@${shownName(result.author)} called ${result.name}, which is no tool here`
    : `${result.name}: ${toolResultText(result)}`

/** `src/a.ts:1: TODO … (12ms, 1.2 KiB)`: the first line of the result, or `ok`; `…` if there is more. */
export function toolResultText({ text, isError, durationMs, bytes: size }: ToolResultEntry): string {
  const said = text.trim()
  const line = /^.*\S/.exec(said)?.[0] ?? 'ok'
  const shown = headOf(line, isError ? MAX_SHOWN_ERROR : MAX_SHOWN_RESULT).trimEnd()
  const isAll = shown === (said || 'ok')
  return `${shown}${isAll ? '' : ' …'} (${duration(durationMs)}, ${bytes(size)})`
}

/** `3.2s · 1234 tokens in (1000 cached) · 56 out · cost 0.0123`; empty without a bill, and in a side turn. */
export function billLine(entry: Entry): string {
  if ((entry.kind !== 'reply' && entry.kind !== 'notice') || entry.thread !== undefined) return ''
  const { usage, durationMs, cost } = entry
  if (!usage) return ''
  return [
    ...(durationMs === undefined ? [] : [duration(durationMs)]),
    ...tokenFacts(usage),
    ...(cost === undefined ? [] : [`cost ${shownAmount(readAmount(cost))}`]),
  ].join(' · ')
}

export function tokenFacts({ input, cached, output, estimated }: Usage): readonly string[] {
  const read = `${input} tokens in${cached === undefined ? '' : ` (${cached} cached)`}`
  const written = `${output} out`
  if (!estimated) return [read, written]
  const isAll = estimated.input === input && estimated.output === output
  if (isAll) return [read, `${written} (estimated)`]
  return [read, written, `of these ${estimated.input} in and ${estimated.output} out estimated`]
}

/** One line for an entry of a side turn. The result of the call that started it has the whole answer. */
export function threadLine(entry: Entry): string {
  const part = entry.round === undefined ? '(side turn)' : `(round ${entry.round})`
  if (entry.kind === 'tool_call') return `${part} ${shownName(entry.author)}: ${toolCallLine(entry)}`
  if (entry.kind === 'tool_result') return `${part} ${toolResultLine(entry)}`
  const first = firstLine(entry.text)
  const cut = first.length > 200 || first.length < entry.text.length
  const by = entry.kind === 'notice' ? '' : `${shownName(entry.author)}: `
  return `${part} ${by}${headOf(first, 200)}${cut ? ' …' : ''}`
}

const firstLine = (text: string): string => text.split('\n', 1).join('')

export const MOST_LINES = 20

/** True if a screen may show only the beginning of the text. */
export const isLongText = ({ kind, thread, text }: Entry): boolean =>
  (kind === 'message' || kind === 'reply') && thread === undefined && text.split('\n').length > MOST_LINES

export const indentLater = (text: string): string => text.replaceAll('\n', '\n  ')

/** An entry's JSON for scripts, without `by`; `joined` or `left` names a single person who came or went. */
export function entryJson(entry: Entry): { readonly [key: string]: Json } {
  const { id, at, room, kind, author, text, by: _by, ...others } = entry
  const { purged: _purged, byProgram, ...rest } = { purged: undefined, ...others }
  return {
    id,
    at: new Date(at).toISOString(),
    room,
    kind,
    author,
    text,
    ...(rest as { [key: string]: Json }),
    ...(byProgram && { by_program: true }),
    ...namesOf(entry),
  }
}

function namesOf(entry: Entry): { readonly [key: string]: Json } {
  if (entry.kind !== 'presence' || entry.event === 'summed') return {}
  const name = entry.text.slice(0, -` ${entry.event}`.length)
  return entry.event === 'joined' ? { joined: [name], left: [] } : { joined: [], left: [name] }
}

const INDENT = '  '

/** `- 09:41:07 **alice**: hello`, in UTC. The text cannot end the item, add marks or fake a speaker. */
export function entryMarkdown(entry: Entry): string {
  const side = entry.thread === undefined ? '' : '(side turn) '
  const bill = entry.kind === 'reply' ? billLine(entry) : ''
  const text = withBoldAuthor(markdownText(wholeText(entry), INDENT), entry)
  const time = new Date(entry.at).toISOString().slice(11, 19)
  return `- ${time} ${side}${text}${bill === '' ? '' : `\\\n${INDENT}(${markdownText(bill, INDENT)})`}`
}

/** As `entryLine`, but with the whole text of results and side turns, and without indents. */
export function wholeText(entry: Entry): string {
  if (entry.kind === 'tool_result')
    return cleanText(
      `-- ${entry.name} (${duration(entry.durationMs)}, ${bytes(entry.bytes)}):\n${entry.text}`,
    ).trimEnd()
  const { thread: _, ...own } = entry
  return cleanText(entryLine(own))
    .trimEnd()
    .replace(/\n {2}/gu, '\n')
}

function withBoldAuthor(text: string, { author }: Entry): string {
  const name = markdownText(shownName(author), INDENT)
  return text.startsWith(`${name}:`) ? `**${name}**${text.slice(name.length)}` : text
}

interface LogHead {
  readonly name: string
  readonly topic: string
  readonly pins: readonly string[]
  readonly at: number
}

export function markdownHead({ name, topic, pins, at }: LogHead): string {
  const about = topic === '' ? [] : [markdownText(cleanText(topic), ''), '']
  const when = new Date(at).toISOString().slice(0, 19).replace('T', ' ')
  const pinned = pins.length === 0 ? [] : [...pins.map((row) => `- ${markdownText(row, '')}`), '']
  return [
    `# ${markdownText(name, '')}`,
    '',
    ...about,
    ...pinned,
    `The log up to ${when}. All times are UTC.`,
  ].join('\n')
}
