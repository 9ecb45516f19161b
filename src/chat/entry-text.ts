import type { ActionEntry, Entry, MessageEntry, ToolCallEntry, ToolResultEntry, Usage } from './entry.ts'
import { headOf } from '../lib/text/characters.ts'
import { cleanLine } from '../lib/text/clean-text.ts'
import { bytes } from '../lib/bytes.ts'
import { duration } from '../lib/duration.ts'
import { readAmount, shownAmount } from '../lib/price.ts'

/**
 * An entry as plain lines, without colour or controls: what pipes and `history` print. Later lines of a
 * text are indented, so that nothing in it can be taken for another speaker or for the system.
 */
export function entryLine(entry: Entry): string {
  return indentLater(firstForm(entry))
}

function firstForm(entry: Entry): string {
  if (entry.thread !== undefined) return `-- ${threadLine(entry)}`
  switch (entry.kind) {
    case 'message':
      return `${shownName(entry.author)}${editedMark(entry)}: ${entry.text}`
    case 'reply':
      return `${shownName(entry.author)}: ${entry.text}`
    case 'action':
      return `* ${shownName(entry.author)} ${actionText(entry)}`
    case 'presence':
    case 'notice':
      return `-- ${entry.text}`
    case 'scope':
    case 'approval':
      return `-- ${shownName(entry.author)}: ${entry.text}`
    case 'tool_call':
      return `-- ${shownName(entry.author)}: ${toolCallLine(entry)}`
    case 'tool_result':
      return `-- ${toolResultLine(entry)}`
  }
}

/** A name in one line and without controls, whatever the log or another server has: nothing in it can be taken for another speaker. */
export const shownName = (name: string): string => cleanLine(name)

/** Stands behind the author of a message that is a later version, or is shown in its later version. No name ends like that. */
export const editedMark = ({ edits, edited }: Pick<MessageEntry, 'edits' | 'edited'>): string =>
  edits === undefined && edited === undefined ? '' : ' (edited)'

/** What somebody did, in words: `waves`, `reacted 👍 to alice`. */
export const actionText = ({ text, reacts, to }: Pick<ActionEntry, 'text' | 'reacts' | 'to'>): string =>
  reacts === undefined ? text : `reacted ${text} to ${to === undefined ? 'a line' : shownName(to)}`

/** `Executing tool: Grep {"arguments":["-rn","TODO","."]}`, or `Not run: …` for a call that was denied. */
export const toolCallLine = ({ name, arguments: args, notRun }: CallFacts): string =>
  `${notRun ? 'Not run' : 'Executing tool'}: ${callText({ name, arguments: args })}`

/** `Grep {"arguments":["-rn","TODO","."]}` */
export const callText = ({ name, arguments: args }: CallFacts): string =>
  `${name} ${typeof args === 'string' ? args : JSON.stringify(args)}`

type CallFacts = Pick<ToolCallEntry, 'name' | 'arguments' | 'notRun'>

/** Characters of a result, and of an error, that people see in a line. */
const MAX_SHOWN_RESULT = 200
const MAX_SHOWN_ERROR = 500

/**
 * `Grep: src/a.ts:1: TODO … (12ms, 1.2 KiB)`: the first line of the result that says anything, or `ok`; `…` says that
 * there is more.
 */
export function toolResultLine({ name, text, isError, durationMs, bytes: size }: ToolResultEntry): string {
  const said = text.trim()
  const line = /^.*\S/.exec(said)?.[0] ?? 'ok'
  const shown = headOf(line, isError ? MAX_SHOWN_ERROR : MAX_SHOWN_RESULT).trimEnd()
  const isAll = shown === (said || 'ok')
  return `${name}: ${shown}${isAll ? '' : ' …'} (${duration(durationMs)}, ${bytes(size)})`
}

/** `3.2s · 1234 tokens in (1000 cached) · 56 out · cost 0.0123`; empty for an entry without a bill, and in a side turn. */
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

/** `1234 tokens in (1000 cached)`, `56 out`, and how much of that is our own count. */
export function tokenFacts({ input, cached, output, estimated }: Usage): readonly string[] {
  const read = `${input} tokens in${cached === undefined ? '' : ` (${cached} cached)`}`
  const written = `${output} out`
  if (!estimated) return [read, written]
  const isAll = estimated.input === input && estimated.output === output
  if (isAll) return [read, `${written} (estimated)`]
  return [read, written, `of these ${estimated.input} in and ${estimated.output} out estimated`]
}

/** What happened in a sub-turn, in one line. The whole answer is the result of the call that started it. */
export function threadLine(entry: Entry): string {
  if (entry.kind === 'tool_call') return `(side turn) ${shownName(entry.author)}: ${toolCallLine(entry)}`
  if (entry.kind === 'tool_result') return `(side turn) ${toolResultLine(entry)}`
  const first = firstLine(entry.text)
  const cut = first.length > 200 || first.length < entry.text.length
  const by = entry.kind === 'notice' ? '' : `${shownName(entry.author)}: `
  return `(side turn) ${by}${headOf(first, 200)}${cut ? ' …' : ''}`
}

const firstLine = (text: string): string => text.split('\n', 1).join('')

/** Two spaces before every line but the first. */
export const indentLater = (text: string): string => text.replaceAll('\n', '\n  ')
