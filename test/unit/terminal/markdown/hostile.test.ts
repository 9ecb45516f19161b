import { expect, test } from 'vitest'
import { renderEntry } from '../../../../src/terminal/drawing/entry-rows.ts'
import { chooseTheme } from '../../../../src/terminal/drawing/theme.ts'
import { createReplies } from '../../../../src/terminal/drawing/streamed-reply.ts'
import type { Entry, EntryId, RoomName, TurnId } from '../../../../src/words/entry.ts'
import { cleanText } from '../../../../src/base/text/clean-text.ts'
import { markdown } from '../../../support/markdown-tools.ts'

const style = { columns: 79, theme: chooseTheme('xterm-256color', {}) }
const room = 'lobby' as RoomName
const LENGTH = 60_000
const fill = (part: string): string => part.repeat(Math.ceil(LENGTH / part.length)).slice(0, LENGTH)
const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')

const HOSTILE: Readonly<Record<string, string>> = {
  'one line': fill('x'),
  'one line of words': fill('word '),
  'quotes in quotes': `${'>'.repeat(10_000)} a`,
  'quotes in quotes, apart': `${'> '.repeat(10_000)} a`,
  'lists in lists': fill('- '),
  'lists ever deeper': lines(340, (index) => `${' '.repeat(index)}- a`),
  'quotes ever deeper': lines(340, (index) => `${'>'.repeat(index)} a`),
  brackets: fill('['),
  'openings of links': fill('[a]('),
  'openings of pictures': fill('![['),
  stars: fill('*a_'),
  'pairs of stars': fill('**'),
  strikes: fill('~~a'),
  backticks: lines(300, (index) => '`'.repeat(index)),
  fences: fill('```\n'),
  'a fence that never ends': `\`\`\`js\n${fill('a("/*`${')}`,
  'code of one kind of sign': `\`\`\`js\n${fill('(')}`,
  'a wide table': `${'|a'.repeat(5_000)}\n${'|-'.repeat(5_000)}\n${lines(3, () => '|b'.repeat(5_000))}`,
  'a long table': `|a|b|\n|-|-|\n${lines(6_000, () => '|1|2|')}`,
  bars: fill('|'),
  addresses: fill('http://'),
  'addresses in signs': fill('<http://a'),
  entities: fill('&#x202e;'),
  escapes: fill('\u001b[2J\u009b31m'),
  'turned text': fill('\u202eabc\u2066'),
  marks: fill('a\u0301\u0302\u0303'),
  wide: fill('日本語'),
  families: fill('👩‍👩‍👧'),
  backslashes: fill('\\'),
  'line ends': fill('\n'),
}

/** Paragraphs, lists and code as models write them. */
const ORDINARY = fill(
  'A **room** has a `scope`; see [its page](https://example.org/scope).\n\n- on\n- off\n\n```js\nconst a = 1\n```\n\n',
)

function drawWhole(text: string): string {
  const entry: Entry = {
    ...{ id: '1' as EntryId, at: 0, room, author: 'qwen', text },
    ...{ kind: 'reply', turn: 't1' as TurnId, outcome: 'done' },
  }
  return renderEntry(entry, style, markdown.tools())
}

/** Its first 12,000 characters in thirty frames. */
function drawFrames(text: string): void {
  const replies = createReplies({ tools: markdown.tools, wallNow: () => 0 })
  const clean = cleanText(text)
  for (let at = 0; at < Math.min(clean.length, 12_000); at += 400) {
    replies.add({ room, turn: 't1' as TurnId, model: 'qwen', text: clean.slice(at, at + 400) })
    replies.flush()
    for (const reply of replies.now()) reply.live(Math.max(0, reply.finished - 1), style, true)
  }
}

/** How many times the processor time of an ordinary reply this one takes: the same on a slow machine. */
function timesOrdinary(draw: (text: string) => void, text: string): number {
  const cpuMs = (drawn: string): number => {
    const before = process.cpuUsage()
    draw(drawn)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
  return cpuMs(text) / cpuMs(ORDINARY)
}

test.each(Object.entries(HOSTILE))(
  'a whole reply of %s is drawn in 50 times the time of an ordinary one, without control characters',
  (_, text) => {
    expect(timesOrdinary(drawWhole, text)).toBeLessThan(50)
    expect(drawWhole(text).replaceAll(/\u001b\[[\d;]*m|\u001b\]8;;[!-~]*\u001b\\/g, '')).not.toMatch(
      /(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u,
    )
  },
)

test.each(Object.entries(HOSTILE))(
  'a streaming reply of %s is drawn in 200 times the time of an ordinary one',
  (_, text) => {
    expect(timesOrdinary(drawFrames, text)).toBeLessThan(200)
  },
)
