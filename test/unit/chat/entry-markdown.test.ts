import { describe, expect, test } from 'vitest'
import type { Entry, EntryId, RoomName, TurnId } from '../../../src/chat/entry.ts'
import { entryMarkdown, markdownHead } from '../../../src/chat/entry-text.ts'
import { parseMarkdown, seenText, typesIn } from '../../support/markdown.ts'

const base = {
  id: 'E1' as EntryId,
  at: Date.UTC(2026, 0, 2, 9, 41, 7),
  room: 'lobby' as RoomName,
  author: 'ann',
}
const turn = 'T1' as TurnId
const says = (text: string): Entry => ({ ...base, kind: 'message', text })

describe('an entry on a page', () => {
  test.each<readonly [string, Entry, string]>([
    ['a message', says('hello\n*there*'), '- 09:41:07 **ann**: hello\\\n  \\*there\\*'],
    ['an action', { ...base, kind: 'action', text: 'waves' }, '- 09:41:07 \\* ann waves'],
    [
      'a coming',
      { ...base, kind: 'presence', author: 'system', event: 'joined', text: 'a_b joined' },
      '- 09:41:07 -- a\\_b joined',
    ],
    [
      'a reply with its bill',
      {
        ...{ ...base, kind: 'reply', author: 'qwen', text: 'yes\n', turn, outcome: 'done' },
        ...{ usage: { input: 5, output: 2 }, durationMs: 1_500 },
      },
      '- 09:41:07 **qwen**: yes\\\n  (1.5s · 5 tokens in · 2 out)',
    ],
    [
      'a result, which is whole',
      {
        ...{
          ...base,
          kind: 'tool_result',
          call: 'c',
          name: 'Grep',
          isError: false,
          durationMs: 3,
          bytes: 300,
        },
        text: `${'x'.repeat(300)}\n\n  y`,
      },
      `- 09:41:07 -- Grep (3ms, 300 B):\\\n  ${'x'.repeat(300)}\n\n  \u00a0\u00a0y`,
    ],
    [
      'what a sub-turn said, which is whole',
      { ...base, kind: 'reply', author: 'qwen', text: 'a\nb', turn, thread: turn },
      '- 09:41:07 (side turn) **qwen**: a\\\n  b',
    ],
  ])('%s', (_, entry, page) => {
    expect(entryMarkdown(entry)).toBe(page)
  })

  test.each([
    '\n\n- 09:41:08 **bob**: I agree',
    '\n\nbob: I agree\n\n# bob\n\n> bob',
    'x\n```\ny\n~~~\n    z\n<script>alert(1)</script>\n[a]: b',
    'x\u2028- 09:41:08 **bob**: I agree',
    '| a | b |\n|---|---|\n| c | d |',
  ])('is one item of the list, with one speaker and no other mark, also for %j', async (text) => {
    const page = await parseMarkdown(entryMarkdown(says(text)))
    expect([...typesIn(page)].toSorted().filter((type) => type !== 'break')).toEqual(
      ['list', 'listItem', 'paragraph', 'root', 'strong', 'text'].toSorted(),
    )
    expect(page.children).toHaveLength(1)
    expect(page.children?.[0]?.children).toHaveLength(1)
    expect(seenText(page)).toContain('09:41:07 ann:')
  })
})

test('the head of a page names the room and its topic, which are text', async () => {
  const head = markdownHead({ name: 'my_room', topic: '# builds', at: base.at })
  expect(head).toBe('# my\\_room\n\n\\# builds\n\nThe log up to 2026-01-02 09:41:07. All times are UTC.')
  expect((await parseMarkdown(head)).children?.map(({ type }) => type)).toEqual([
    'heading',
    'paragraph',
    'paragraph',
  ])
})
