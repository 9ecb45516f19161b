import { bytes } from '../lib/bytes.ts'
import { duration } from '../lib/duration.ts'
import { cleanText } from '../lib/text/clean-text.ts'
import { markdownText } from '../lib/text/markdown.ts'
import { billLine, entryLine, shownName } from './entry-text.ts'
import type { Entry } from './entry.ts'

const INDENT = '  '

/**
 * An entry as an item of a Markdown list, with its time in UTC: `- 09:41:07 **alice**: hello`. All of its text is there, and
 * no text can end the item, be another speaker or be a mark of any kind.
 */
export function entryMarkdown(entry: Entry): string {
  const side = entry.thread === undefined ? '' : '(side turn) '
  const bill = entry.kind === 'reply' ? billLine(entry) : ''
  const text = withBoldAuthor(markdownText(wholeText(entry), INDENT), entry)
  const time = new Date(entry.at).toISOString().slice(11, 19)
  return `- ${time} ${side}${text}${bill === '' ? '' : `\\\n${INDENT}(${markdownText(bill, INDENT)})`}`
}

/** As `entryLine`, but with all of a result and of what sub-turns did, and without the indents. */
function wholeText(entry: Entry): string {
  if (entry.kind === 'tool_result')
    return cleanText(
      `-- ${entry.name} (${duration(entry.durationMs)}, ${bytes(entry.bytes)}):\n${entry.text}`,
    ).trimEnd()
  const { thread: _, ...own } = entry
  return cleanText(entryLine(own))
    .trimEnd()
    .replace(/\n {2}/gu, '\n')
}

/** Asterisks that nothing escapes can only be ours. */
function withBoldAuthor(text: string, { author }: Entry): string {
  const name = markdownText(shownName(author), INDENT)
  return text.startsWith(`${name}:`) ? `**${name}**${text.slice(name.length)}` : text
}

/** What stands above the entries of a room. `at`: when it was exported, in milliseconds since the epoch. */
export function markdownHead({ name, topic, at }: { name: string; topic: string; at: number }): string {
  const about = topic === '' ? [] : [markdownText(cleanText(topic), ''), '']
  const when = new Date(at).toISOString().slice(0, 19).replace('T', ' ')
  return [`# ${markdownText(name, '')}`, '', ...about, `The log up to ${when}. All times are UTC.`].join('\n')
}
