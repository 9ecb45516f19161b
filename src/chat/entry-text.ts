import type { Entry, ToolCallEntry, ToolResultEntry } from './entry.ts'
import { headOf } from '../lib/text/characters.ts'
import { bytes } from '../lib/bytes.ts'
import { duration } from '../lib/duration.ts'

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
    case 'reply':
      return `${entry.author}: ${entry.text}`
    case 'action':
      return `* ${entry.author} ${entry.text}`
    case 'presence':
    case 'notice':
      return `-- ${entry.text}`
    case 'scope':
    case 'approval':
      return `-- ${entry.author}: ${entry.text}`
    case 'tool_call':
      return `-- ${entry.author}: ${toolCallLine(entry)}`
    case 'tool_result':
      return `-- ${toolResultLine(entry)}`
  }
}

/** `Executing tool: Grep {"arguments":["-rn","TODO","."]}`, or `Not run: …` for a call that was denied. */
export const toolCallLine = ({ name, arguments: args, notRun }: CallFacts): string =>
  `${notRun ? 'Not run' : 'Executing tool'}: ${name} ${typeof args === 'string' ? args : JSON.stringify(args)}`

type CallFacts = Pick<ToolCallEntry, 'name' | 'arguments' | 'notRun'>

/** `Grep: ok (12 ms, 1.2 KiB)`, or the first line of the error. */
export function toolResultLine(entry: ToolResultEntry): string {
  const size = `(${duration(entry.durationMs)}, ${bytes(entry.bytes)})`
  if (!entry.isError) return `${entry.name}: ok ${size}`
  return `${entry.name}: ${headOf(firstLine(entry.text), 500)} ${size}`
}

/** What happened in a sub-turn, in one line. The whole answer is the result of the call that started it. */
export function threadLine(entry: Entry): string {
  if (entry.kind === 'tool_call') return `(side turn) ${entry.author}: ${toolCallLine(entry)}`
  if (entry.kind === 'tool_result') return `(side turn) ${toolResultLine(entry)}`
  const first = firstLine(entry.text)
  const cut = first.length > 200 || first.length < entry.text.length
  const by = entry.kind === 'notice' ? '' : `${entry.author}: `
  return `(side turn) ${by}${headOf(first, 200)}${cut ? ' …' : ''}`
}

const firstLine = (text: string): string => text.split('\n', 1).join('')

/** Two spaces before every line but the first. */
export const indentLater = (text: string): string => text.replaceAll('\n', '\n  ')
