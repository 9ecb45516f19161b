import { createHash } from 'node:crypto'
import { parseHTML } from 'linkedom'
import { expect, test } from 'vitest'
import { readPictureFile } from '../../../../src/base/picture-file.ts'
import { Picture } from '../../../../src/words/picture.ts'
import { pngOf } from '../../../support/pictures.ts'
import type { Entry, EntryId, RoomName, TurnId } from '../../../../src/words/entry.ts'
import type { LayerReport } from '../../../../src/wrap/prompt.ts'
import { STYLE } from '../../../../src/commands/pages/style.ts'
import { samplePrompt } from '../../../support/model-request.ts'
import { pageHead } from '../../../../src/commands/pages/page.ts'
import { createTranscript } from '../../../../src/commands/pages/transcript.ts'
import { createCommandWorld, refused } from '../../../support/commands/command-world.ts'
import { tool } from '../../../support/turn-world.ts'
import { promptParts } from '../../../../src/commands/pages/prompt.ts'

const base = {
  id: '01AAAAAAAAAAAAAAAAAAAAAAAA' as EntryId,
  at: Date.UTC(2026, 0, 2, 9, 41, 7),
  room: 'hall' as RoomName,
  author: 'ann',
}
const turn = '01BBBBBBBBBBBBBBBBBBBBBBBB' as TurnId

/** The page of a log, as a browser reads it. */
async function transcriptOf(entries: readonly Entry[], topic = '') {
  const transcript = await createTranscript({ name: 'hall', topic, pins: [] }, base.at)
  const parts = [
    transcript.head,
    ...entries.flatMap((entry) => [...transcript.entry(entry)]),
    ...transcript.end(),
  ]
  return parseHTML(parts.map(String).join('')).document
}

test('the security policy of a page allows only its own stylesheet', async () => {
  const { document } = parseHTML(`${String(await pageHead('a <b> \u202e page'))}</main></body></html>`)
  const style = document.querySelector('style')?.textContent ?? ''
  const hash = createHash('sha256').update(style).digest('base64')
  expect(document.querySelector('meta[http-equiv="Content-Security-Policy"]')?.getAttribute('content')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
  )
  expect(style).not.toMatch(/url\(|@import/)
  expect(document.title).toBe('a <b> \\u{202e} page')
})

test('a transcript allows pictures in the page, and shows those of an entry with their names as text', async () => {
  const file = readPictureFile(pngOf(64, 48))
  if (typeof file === 'string') throw new Error(file)
  const name = 'a"><script>.png'
  const entry = { ...base, kind: 'file', text: `put ${name}`, files: [] } as const
  const transcript = await createTranscript({ name: 'hall', topic: '', pins: [] }, base.at)
  const parts = [transcript.head, ...transcript.entry(entry, [new Picture(file, { name, hash: '' })])]
  const { document } = parseHTML(parts.map(String).join(''))
  expect(
    document.querySelector('meta[http-equiv="Content-Security-Policy"]')?.getAttribute('content'),
  ).toMatch(
    /^default-src 'none'; style-src 'sha256-\S+'; img-src data:; base-uri 'none'; form-action 'none'$/,
  )
  const picture = document.querySelector('img')
  expect(picture?.getAttribute('alt')).toBe(name)
  const [, sent = ''] = /^data:image\/png;base64,(.*)$/.exec(picture?.getAttribute('src') ?? '') ?? []
  expect(Buffer.from(sent, 'base64').equals(file.bytes)).toBe(true)
  expect(document.querySelector('figcaption')?.textContent).toMatch(/^a"><script>\.png: PNG, 64 × 48, \d+ B$/)
  expect(document.querySelector('script')).toBeNull()
})

test('the page of a prompt accounts for the whole window and gives every part its own colour', () => {
  const budget = {
    ...{ window: 1100, reserved_output: 100, target: 900, used: 755 },
    ...{ system: 200, context: 400, message: 50, tools: 100, framing: 5 },
  }
  const layers = Array.from({ length: 8 }, (_, index): LayerReport => {
    const facts = { priority: 0, placement: 'system', status: 'kept', note: '' } as const
    return { name: `layer ${index}`, tokens: 10, ...facts }
  })
  const { document } = parseHTML(
    `<html><body>${String(promptParts(samplePrompt({ budget, layers }), []))}</body></html>`,
  )
  expect(document.querySelector('p')?.textContent?.replaceAll(/\s+/g, ' ')).toContain(
    '145 are free; window 1100: 100 for the answer, 100 more for safety.',
  )
  const colours = [...document.querySelectorAll('.bar rect')].map((part) => part.getAttribute('class') ?? '')
  expect(colours).toHaveLength(10)
  expect(new Set(colours).size).toBe(10)
  for (const colour of colours) expect(STYLE).toContain(`.${colour} { color:`)
})

test('a transcript shows a task list with boxes', async () => {
  const text = '- [x] tea\n- [ ] a `[x]`\n\nno [x] task'
  const document = await transcriptOf([{ ...base, kind: 'reply', turn, text }])
  const items = [...document.querySelectorAll('.md li')].map((one) => one.textContent)
  expect(items).toEqual(['☑ tea', '☐ a [x]'])
  expect(document.querySelector('.md')?.textContent).toContain('no [x] task')
})

test('a transcript escapes the info text of a code fence and aligns table columns', async () => {
  const text = '```html"><script>alert(2)</script>\nx\n```\n\n|a|b|c|\n|:--|:-:|--:|\n|1|2|3|'
  const document = await transcriptOf([{ ...base, kind: 'reply', turn, text }])
  expect(document.querySelector('.md .info')?.textContent).toBe('html"><script>alert(2)</script>')
  expect(document.querySelector('script')).toBeNull()
  const sides = (cell: string) =>
    [...document.querySelectorAll(cell)].map((one) => one.getAttribute('class') ?? '')
  expect(sides('th')).toEqual(['', 'center', 'right'])
  expect(sides('td')).toEqual(['', 'center', 'right'])
  expect(document.querySelector('[style]')).toBeNull()
})

test.each<readonly [string, Entry, string]>([
  ['a message', { ...base, kind: 'message', text: 'a *b*\nc' }, 'ann 09:41:07 a b c'],
  [
    'an edited message',
    { ...base, kind: 'message', text: 'b', edits: turn as string as EntryId },
    'ann (edited) 09:41:07 b',
  ],
  ['an action', { ...base, kind: 'action', text: 'waves' }, '09:41:07 * ann waves'],
  ['a notice', { ...base, kind: 'notice', level: 'error', text: 'no <b>' }, '09:41:07 no <b>'],
  [
    'a reply with its token usage',
    {
      ...base,
      kind: 'reply',
      author: 'qwen',
      text: '`x`',
      turn,
      outcome: 'done',
      usage: { input: 5, output: 2 },
    },
    'qwen 09:41:07 x 5 tokens in · 2 out',
  ],
  [
    'a whole tool result',
    {
      ...base,
      kind: 'tool_result',
      call: 'c',
      name: 'Grep',
      isError: false,
      durationMs: 3,
      bytes: 4,
      text: '1\n<2>',
    },
    '09:41:07 Grep: 1 … (3ms, 4 B) 1 <2>',
  ],
  [
    'the whole reply of a side turn',
    { ...base, kind: 'reply', author: 'qwen', text: 'a\nb', turn, thread: turn },
    '09:41:07 (side turn) qwen: a … a b',
  ],
])('a transcript shows %s', async (_, entry, text) => {
  const document = await transcriptOf([entry])
  const shown = document.querySelector('h2')?.nextElementSibling?.textContent ?? ''
  expect(shown.replace(/\s+/g, ' ').trim()).toBe(text)
})

test('a transcript shows six people in six colours, and models in another one', async () => {
  const people = ['newb', 'cy', 'bob', 'ann', 'dee', 'eve', 'fay', 'newb']
  const document = await transcriptOf([
    ...people.map((author): Entry => ({ ...base, author, kind: 'message', text: 'hi' })),
    { ...base, author: 'cy', kind: 'action', text: 'waves' },
    { ...base, author: 'qwen', kind: 'reply', text: 'hello', turn },
  ])
  const colours = [...document.querySelectorAll('.name')].map((one) => [...one.classList].at(-1))
  expect(colours.slice(0, 6)).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5'])
  expect(colours[6]).toMatch(/^n[0-5]$/)
  expect(colours.slice(7)).toEqual(['n0', 'n1', 'model'])
})

test('a transcript shows days, topic and end, and folds consecutive joins into one line', async () => {
  const coming = (name: string, at: number): Entry => ({
    ...{ ...base, kind: 'presence', author: 'system', event: 'joined', text: `${name} joined` },
    at,
  })
  const day = 24 * 60 * 60 * 1_000
  const document = await transcriptOf(
    [
      coming('bob', base.at),
      coming('cy', base.at),
      { ...base, kind: 'message', text: 'hi' },
      coming('di', base.at + day),
    ],
    'a <b> topic',
  )
  expect([...document.querySelectorAll('h2')].map((one) => one.textContent)).toEqual([
    '2026-01-02',
    '2026-01-03',
  ])
  expect(document.querySelector('p.plain')?.textContent).toBe('a <b> topic')
  expect(document.querySelector('details summary')?.textContent).toBe('09:41:07 bob, cy joined')
  expect(document.querySelectorAll('details p.aside')).toHaveLength(2)
  expect(document.querySelector('main')?.lastElementChild?.textContent).toBe('The end: 4 entries.')
})

test('a transcript shows all of 450 consecutive joins', async () => {
  const entries = Array.from({ length: 450 }, (_, index): Entry => {
    return { ...base, kind: 'presence', author: 'system', event: 'joined', text: `p${index} joined` }
  })
  const document = await transcriptOf(entries)
  expect(document.querySelectorAll('details p.aside')).toHaveLength(450)
  expect(document.querySelectorAll('details')).toHaveLength(3)
})

test('the --html flag is refused in a session, with the shell command for it', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'wrap --html')).toEqual(
    refused('a page is for a browser; from a shell: ssh HOST wrap hall @qwen --html > wrap.html'),
  )
  expect(await world.type(world.bob, 'turn --html')).toEqual(
    refused('a page is for a browser; from a shell: ssh HOST turn hall last --html > turn.html'),
  )
})

test('the page of an invisible room is refused like the command without --html', async () => {
  await using world = await createCommandWorld()
  for (const verb of ['wrap', 'turn', 'export'])
    expect(await world.exec(world.bob, `${verb} den --html`)).toEqual(
      await world.exec(world.bob, `${verb} den`),
    )
})

test('the page of a turn with a tool call shows its steps', async () => {
  await using world = await createCommandWorld(tool('echo'))
  await world.exec(world.bob, 'ask hall qwen call echo {"q":"<x>"}')
  const { document } = parseHTML((await world.exec(world.bob, 'turn hall --html')).out.join(''))
  expect([...document.querySelectorAll('h2')].map((one) => one.textContent)).toEqual(['Step 1', 'Step 2'])
  const texts = [...document.querySelectorAll('pre')].map((one) => one.textContent?.replace(/^\n/, ''))
  expect(texts).toContain('{"q":"<x>"}')
  expect(document.querySelector('h1')?.textContent).toBe('@qwen for bob in hall')
})
