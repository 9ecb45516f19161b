import { describe, expect, test } from 'vitest'
import { zoneOf } from '../../../../src/base/zone.ts'
import { sessionIn } from '../../../support/commands/caller.ts'
import { plainOf, type StyledText } from '../../../../src/base/text/styled.ts'
import type { LogStats } from '../../../../src/chat/ports.ts'
import { screenOf, createChatParts } from '../../../support/chat-parts.ts'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'
import type { Entry, EntryId, TurnId } from '../../../../src/words/entry.ts'
import { logPages, wholeLog } from '../../../../src/commands/verbs/log-pages.ts'

const FORM = '/history [-n N] [--before ID] [--json] [WHAT]'

async function createTalk(...said: readonly string[]) {
  const world = await createCommandWorld()
  for (const text of said) await world.type(world.ann, `say ${text}`)
  return world
}

interface Shown {
  readonly id: string
  readonly kind: string
  readonly text: string
}

const parsed = (lines: readonly string[]): Shown[] => lines.map((line) => JSON.parse(line) as Shown)

test('/history shows the newest entries, oldest first', async () => {
  await using world = await createTalk('one', 'two', 'three')
  expect(await world.type(world.bob, 'history -n 2')).toEqual(
    done('2026-01-01 00:00 ann: two', '2026-01-01 00:00 ann: three'),
  )
})

test('/history --before shows older entries, and --json prints one entry a line', async () => {
  await using world = await createTalk('one', 'two', 'three')
  const [last] = parsed((await world.exec(world.bob, 'history hall -n 1 --json')).out)
  expect(last).toMatchObject({ kind: 'message', text: 'three' })
  const { out } = await world.exec(world.bob, `history hall --json --before ${last?.id}`)
  expect(parsed(out).map((entry) => entry.text)).toEqual(['one', 'two'])
})

test('/history merges consecutive joins into one line, but not with --json', async () => {
  await using world = await createTalk('one', 'two', 'three')
  const room = await world.turnWorld.chatParts.rooms.get('hall', world.ann)
  for (const who of [world.bob, world.root]) await room.enter(screenOf(who))
  await world.type(world.ann, 'say four')
  expect((await world.exec(world.bob, 'history hall')).out).toEqual([
    ...['one', 'two', 'three'].map((text) => `2026-01-01 00:00 ann: ${text}`),
    ...['2026-01-01 00:00 -- bob, root joined', '2026-01-01 00:00 ann: four'],
  ])
  const each = parsed((await world.exec(world.bob, 'history hall --json')).out)
  expect(each.filter(({ kind }) => kind === 'presence')).toHaveLength(2)
})

test('/history stats counts entries by author and by day', async () => {
  await using world = await createTalk('one', '@qwen call nope {}')
  await Promise.all(world.turnWorld.turns.running().map((turn) => turn.ended()))
  const json = (await world.exec(world.bob, 'history hall stats --json')).out.join('')
  const { entries, authors, days } = JSON.parse(json) as LogStats
  expect(days).toEqual([expect.objectContaining({ day: '2026-01-01', entries, replies: 1, calls: 0 })])
  expect(authors).toContainEqual({ author: 'ann', entries: 2 })
  const { out } = await world.type(world.bob, 'history stats')
  expect(out.join('\n')).toMatch(/^hall: \d+ entries, 2026-01-01 to 2026-01-01\n\nwho recorded them\n/)
  expect(out.join('\n')).toMatch(/\n2026-01-01 +\d+ +1 +0 +\d+ +\d+$/)
})

test('/history paste shows the newest long message whole', async () => {
  await using world = await createTalk('one')
  expect((await world.type(world.bob, 'history paste')).out).toEqual([
    'none of the last 100 messages has more than 20 lines',
  ])
  const room = await world.turnWorld.chatParts.rooms.get('hall', world.ann)
  const text = Array.from({ length: 21 }, (_, index) => `step ${index}`).join('\n')
  await room.record({ kind: 'message', author: 'ann', text })
  await world.type(world.ann, 'say two')
  const { out } = await world.type(world.bob, 'history paste')
  expect(out).toEqual([`2026-01-01 00:00 ann: ${text.replaceAll('\n', '\n  ')}`])
})

test('/history stats says if nothing was recorded in the room', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.ann, 'history stats', 'den')).toEqual(done('den: nothing was recorded yet'))
})

test('/history --json keeps an entry on one line despite line separators in tool arguments', async () => {
  await using world = await createTalk()
  const args = {
    kind: 'tool_call',
    call: 'c',
    name: 'x',
    requester: 'ann',
    arguments: { a: '\u2028\u0085' },
  } as const
  await world.turnWorld.room.record({ ...args, author: 'ann', text: 'as a guest could store it once\u2028' })
  const { out } = await world.exec(world.bob, 'history lobby -n 1 --json')
  expect(out[0]).not.toMatch(/[\n\u0085\u2028]/u)
  expect(parsed(out)).toMatchObject([{ arguments: { a: '\u2028\u0085' } }])
})

test.each(['0', '1001', '-1', '1.5', '0x10', 'all', '9'.repeat(99)])(
  '/history -n %s is refused',
  async (count) => {
    await using world = await createTalk()
    const problem = 'history: -n takes a whole number from 1 to 1000, such as -n 50'
    expect(await world.type(world.bob, `history -n ${count}`)).toEqual(misused(problem, FORM))
  },
)

test.each(['x', '../..', '01ARZ3NDEKTSV4RRFFQ69G5FA', 'i'.repeat(26)])(
  '/history --before %s is refused',
  async (id) => {
    await using world = await createTalk()
    const problem = `history: ${id} is not the id of an entry; /history --json shows the ids`
    expect(await world.type(world.bob, `history --before ${id}`)).toEqual(misused(problem, FORM))
  },
)

test('/search finds lines with all the words in any order and case', async () => {
  await using world = await createTalk('the build is green', 'the build is red', 'GREEN build')
  expect(await world.type(world.bob, 'search green build')).toEqual(
    done('2026-01-01 00:00 ann: the build is green', '2026-01-01 00:00 ann: GREEN build'),
  )
  expect((await world.type(world.bob, 'search -n 1 build')).out).toHaveLength(1)
})

test('/search treats query operators as text and says if nothing was found', async () => {
  await using world = await createTalk('the build is green')
  const nothing: readonly (readonly [string, string])[] = [
    ['%x', '%x'],
    ['x_', '"x_"'],
    ['"is build"', '"is build"'],
    ['a AND b', 'a and AND and b'],
  ]
  for (const [words, told] of nothing)
    expect(await world.type(world.bob, `search ${words}`)).toEqual(done(`nothing here has ${told}`))
  for (const words of ['%', '_', "' --"])
    expect((await world.type(world.bob, `search ${words}`)).err).toEqual([
      'there is nothing to look for: punctuation is not searched; name a word, a number or an emoji',
    ])
  for (const words of ['build*', '"is green"', 'buil "GREEN'])
    expect((await world.type(world.bob, `search ${words}`)).out).toHaveLength(1)
  expect(await world.exec(world.bob, 'search hall --json nope')).toEqual(done())
})

test('/search marks matching lines in a session and prints whole entries in a script', async () => {
  await using world = await createCommandWorld()
  const room = await world.turnWorld.chatParts.rooms.get('hall', world.ann)
  const steps = Array.from({ length: 60 }, (_, index) => `Step ${index + 1}`)
  await room.record({ kind: 'message', author: 'ann', text: steps.join('\n') })
  const { caller } = sessionIn(room, world.bob)
  const printed: (string | StyledText)[] = []
  const out = { ...caller.out, line: (text: string | StyledText) => void printed.push(text) }
  for (const words of ['step', 'STEP 59', 'ann'])
    await world.runner.command(`search ${words}`, { ...caller, out })
  const [all = '', one = '', byName = ''] = printed
  expect(plainOf(all)).toBe('2026-01-01 00:00 ann: Step 1\n  Step 2\n  Step 3 …')
  expect(plainOf(one)).toBe('2026-01-01 00:00 ann: … Step 59 …')
  expect(plainOf(byName)).toBe('2026-01-01 00:00 ann: Step 1 …')
  const marks = { strong: true, underline: true } as const
  expect(typeof one === 'string' ? [] : one.lines[0]).toEqual(
    expect.arrayContaining([
      { text: 'Step', ...marks },
      { text: '59', ...marks },
    ]),
  )
  expect((await world.exec(world.bob, 'search hall 59')).out.join('\n').split('\n')).toHaveLength(60)
})

test('/search shows a name in its style and the words of a reply without Markdown markup', async () => {
  await using world = await createCommandWorld()
  const room = await world.turnWorld.chatParts.rooms.get('hall', world.ann)
  const text = 'use the `big wrench` to **tighten it**, not 2**3 times'
  await room.record({ kind: 'reply', author: 'qwen', turn: 't' as TurnId, outcome: 'done', text })
  await room.record({ kind: 'message', author: 'ann', text })
  const { caller } = sessionIn(room, world.bob)
  const printed: (string | StyledText)[] = []
  const out = { ...caller.out, line: (line: string | StyledText) => void printed.push(line) }
  await world.runner.command('search wrench tighten', { ...caller, out })
  const [reply = { lines: [] }, message = ''] = printed
  expect(plainOf(reply)).toBe('2026-01-01 00:00 qwen: use the big wrench to tighten it, not 2**3 times')
  expect(plainOf(message)).toBe(`2026-01-01 00:00 ann: ${text}`)
  const [spans = []] = typeof reply === 'string' ? [] : reply.lines
  expect(spans).toEqual(
    expect.arrayContaining([
      { text: 'qwen:', role: 'model', tint: expect.any(Number) },
      { text: 'big ', code: true },
      { text: 'wrench', code: true, strong: true, underline: true },
      { text: ' it', strong: true },
    ]),
  )
  const [own = []] = typeof message === 'string' ? [] : message.lines
  expect(own).toEqual(expect.arrayContaining([{ text: 'ann:', tint: expect.any(Number), strong: true }]))
})

test('/search with a dash finds and names lines in all rooms that the caller may read', async () => {
  await using world = await createTalk('a word in the hall')
  await world.exec(world.ann, 'say den a word in the den')
  expect(await world.exec(world.ann, 'search - word')).toEqual(
    done('2026-01-01 00:00 hall ann: a word in the hall', '2026-01-01 00:00 den ann: a word in the den'),
  )
  for (const outsider of [world.bob, world.root])
    expect(await world.exec(outsider, 'search - word')).toEqual(
      done('2026-01-01 00:00 hall ann: a word in the hall'),
    )
  expect(await world.exec(world.root, 'search den word')).toMatchObject({ status: 1, out: [] })
})

test('/search in a session accepts the dash for all rooms before or after the flags', async () => {
  await using world = await createTalk('a word in the hall')
  await world.exec(world.ann, 'say den a word in the den')
  const both = [
    '2026-01-01 00:00 hall ann: a word in the hall',
    '2026-01-01 00:00 den ann: a word in the den',
  ]
  for (const line of ['search - word', 'search -n 2 - word', 'search - -n 2 word'])
    expect(await world.type(world.ann, line)).toEqual(done(...both))
  expect(await world.type(world.bob, 'search - nope')).toEqual(done('nothing in your rooms has nope'))
  expect(await world.type(world.ann, 'search word -')).toEqual(
    done('2026-01-01 00:00 ann: a word in the hall'),
  )
})

test('/search with a dash finds nothing in a private room until the invited person joins', async () => {
  await using world = await createTalk()
  await world.exec(world.ann, 'say den a word in the den')
  await world.exec(world.ann, 'invite den bob')
  expect(await world.exec(world.bob, 'search - word')).toEqual(done('nothing in your rooms has word'))
  await world.exec(world.bob, 'join den')
  expect((await world.exec(world.bob, 'search - word')).out).toHaveLength(1)
})

test('/search --best shows the best match first', async () => {
  await using world = await createTalk('build build', 'a build of this and that')
  expect((await world.type(world.bob, 'search --best -n 1 build')).out).toEqual([
    '2026-01-01 00:00 ann: build build',
  ])
})

const NONE = 'no checkpoint is set: models read the whole conversation'
const BAD_NAME = "a checkpoint's name is 1-32 of letters, digits, _, . and -"

test.each([
  ['v1', 'hall has no entries yet, so models read from its beginning'],
  ['clear', 'no checkpoint is set'],
  ['a/b', BAD_NAME],
  ['x'.repeat(33), BAD_NAME],
  ['\u001b[2J', BAD_NAME],
])('/checkpoint %s is refused and sets no checkpoint', async (name, sentence) => {
  await using world = await createCommandWorld()
  expect(await world.type(world.ann, `checkpoint ${name}`)).toEqual(refused(sentence))
  expect(await world.type(world.ann, 'checkpoint')).toEqual(done(NONE))
})

test('/history and /search show times in the zone of the session, a script in UTC', async () => {
  await using world = await createCommandWorld()
  const room = await world.turnWorld.chatParts.rooms.get('hall', world.bob)
  const { caller, told } = sessionIn(room, world.bob, zoneOf('Asia/Tokyo'))
  await world.runner.speech('a needle', caller)
  for (const line of ['history -n 1', 'search needle']) await world.runner.command(line, caller)
  expect(told.out).toEqual(['2026-01-01 09:00 bob: a needle', '2026-01-01 09:00 bob: a needle'])
  expect((await world.exec(world.bob, 'history hall -n 1')).out).toEqual(['2026-01-01 00:00 bob: a needle'])
})

describe('the export of a log', () => {
  const FORM = 'export ROOM [--markdown] [--json] [--html]'

  async function createTalk(count: number) {
    const world = await createCommandWorld()
    const { rooms } = world.turnWorld.chatParts
    const room = await rooms.get('hall', world.ann)
    for (let at = 0; at < count; at++)
      await room.record({
        kind: 'message',
        author: 'ann',
        text: `line ${at} ${'x'.repeat(at % 7 === 0 ? 9_000 : 9)}`,
      })
    return world
  }

  test('/export prints the whole log as Markdown with day headings and an entry count', async () => {
    await using world = await createCommandWorld()
    await world.exec(world.ann, 'topic hall builds')
    await world.exec(world.ann, 'say hall hello')
    world.turnWorld.chatParts.clock.step(24 * 60 * 60 * 1_000)
    await world.exec(world.bob, 'me hall waves')
    const expected = [
      '# hall\n\nbuilds\n\nThe log up to 2026-01-02 00:00:00. All times are UTC.',
      ...['\n## 2026-01-01\n', expect.stringContaining('-- '), '- 00:00:00 **ann**: hello'],
      ...['\n## 2026-01-02\n', '- 00:00:00 \\* bob waves', '\nThe end: 3 entries.'],
    ]
    for (const line of ['export hall', 'export --markdown hall'])
      expect((await world.exec(world.bob, line)).out).toEqual(expected)
    expect((await world.type(world.bob, 'export')).out).toEqual(expected)
  })

  test('/export of an empty room has 0 entries', async () => {
    await using world = await createCommandWorld()
    expect((await world.exec(world.ann, 'export den')).out.at(-1)).toBe('\nThe end: 0 entries.')
    expect(await world.exec(world.ann, 'export den --json')).toEqual(done())
  })

  test('/export of a long log is refused in a session, with the shell command for it', async () => {
    await using world = await createTalk(129)
    expect(await world.type(world.bob, 'export')).toEqual(
      refused(
        'the log is too long for a session, which shows 128 entries at most; from a shell: ssh HOST export hall > hall.md',
      ),
    )
  })

  test('/export refuses combined formats, HTML in a session and unknown rooms', async () => {
    await using world = await createCommandWorld()
    for (const flags of ['--json --markdown', '--html --json', '--html --markdown'])
      expect(await world.exec(world.bob, `export hall ${flags}`)).toEqual(
        misused('export: it is one of --markdown, --json and --html', FORM),
      )
    expect(await world.type(world.bob, 'export --html')).toEqual(
      refused('a page is for a browser; from a shell: ssh HOST export hall --html > export.html'),
    )
    const missing = await world.exec(world.bob, 'export dxn')
    expect(await world.exec(world.bob, 'export den')).toEqual(
      refused((missing.err[0] ?? '').replace('dxn', 'den')),
    )
  })
})

/** A log of entries with the ids 0001, 0002 and so on. */
function logOf(size: number) {
  const entries: Entry[] = []
  const add = (): void => {
    const id = String(entries.length + 1).padStart(4, '0') as EntryId
    entries.push({ kind: 'notice', author: 'system', room: 'lobby', at: 0, text: '', id } as unknown as Entry)
  }
  for (let number = 0; number < size; number++) add()
  let largest = 0
  const read = async ({ limit, before }: { limit: number; before?: EntryId }) => {
    largest = Math.max(largest, limit)
    return entries.filter(({ id }) => !before || id < before).slice(-limit)
  }
  return { read, add, largest: () => largest }
}

async function idsOf(pages: AsyncIterable<readonly Entry[]>): Promise<number[]> {
  const ids: number[] = []
  for await (const page of pages) ids.push(...page.map(({ id }) => Number(id)))
  return ids
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

test.each([
  ['a short list', 100, 20, range(81, 100)],
  ['a list of several pages', 100, 70, range(31, 100)],
  ['more than there is', 100, 1_000, range(1, 100)],
  ['an empty log', 0, 1_000, []],
])(
  'logPages reads %s oldest first, in pages of at most 32 entries',
  async (_title, size, limit, expected) => {
    const log = logOf(size)
    expect(await idsOf(logPages(log, limit))).toEqual(expected)
    expect(log.largest()).toBeLessThanOrEqual(32)
  },
)

test('logPages limits a page to 64 KiB or one larger entry', async () => {
  const { read } = logOf(40)
  const bytes = (id: EntryId): number => (Number(id) === 30 ? 1_000_000 : 20_000)
  const asked: number[] = []
  const pages = logPages(
    {
      async read(query) {
        asked.push(query.limit)
        return await read(query)
      },
      sizes: async (query) => (await read(query)).map(({ id }) => ({ id, bytes: bytes(id) })),
    },
    20,
  )
  expect(await idsOf(pages)).toEqual(range(21, 40))
  expect(asked).toEqual([1, 3, 3, 3, 1, 3, 3, 3])
})

test('logPages reads only entries older than a given one', async () => {
  expect(await idsOf(logPages(logOf(100), 50, '0061' as EntryId))).toEqual(range(11, 60))
})

test('logPages neither misses nor repeats entries if more are recorded meanwhile', async () => {
  const log = logOf(100)
  const read = async (query: Parameters<typeof log.read>[0]) => {
    log.add()
    return await log.read(query)
  }
  const ids = await idsOf(logPages({ read }, 80))
  expect(ids).toEqual(range(22, 101))
})

/** A room with texts of these lengths, and its log. */
async function createLog(lengths: readonly number[]) {
  const { rooms, storage } = await createChatParts()
  const room = await rooms.lobby()
  const says = (text: string) => room.record({ kind: 'message', author: 'ann', text })
  for (const length of lengths) await says('x'.repeat(length))
  return { whole: storage.chat.entries, room: room.name, says }
}

async function pagesOf(...log: Parameters<typeof wholeLog>): Promise<readonly (readonly Entry[])[]> {
  const pages: (readonly Entry[])[] = []
  for await (const page of wholeLog(...log)) pages.push(page)
  return pages
}

test('wholeLog reads every entry once, in order, in pages of limited length and size', async () => {
  const lengths = Array.from({ length: 400 }, (_, at) => (at % 50 === 0 ? 60_000 : 10))
  const { whole, room } = await createLog([...lengths, 100_000, 1])
  const pages = await pagesOf(whole, room)
  const all = pages.flat()
  expect(all.map(({ text }) => text.length)).toEqual([...lengths, 100_000, 1])
  expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted())
  for (const page of pages) {
    const bytes = page.reduce((sum, { text }) => sum + text.length, 0)
    expect(page.length === 1 || (page.length <= 128 && bytes <= 65_536)).toBe(true)
  }
})

test('wholeLog leaves out entries that are recorded while it reads', async () => {
  const { whole, room, says } = await createLog(Array.from({ length: 300 }, () => 1))
  const busy: Parameters<typeof wholeLog>[0] = {
    sizes: (...query) => whole.sizes(...query),
    async read(...query) {
      const entries = await whole.read(...query)
      await says('meanwhile')
      return entries
    },
  }
  expect((await pagesOf(busy, room)).flat()).toHaveLength(300)
})

test('wholeLog fails if the room is deleted meanwhile, and gives no page for an empty log', async () => {
  const { whole, room } = await createLog(Array.from({ length: 300 }, () => 1))
  let reads = 0
  const deleted: Parameters<typeof wholeLog>[0] = {
    sizes: (...query) => whole.sizes(...query),
    read: async (...query) => (++reads > 2 ? [] : await whole.read(...query)),
  }
  const told = 'the room was deleted meanwhile: this is not all of its log'
  await expect(pagesOf(deleted, room)).rejects.toThrow(told)
  expect(await pagesOf((await createLog([])).whole, room)).toEqual([])
})
