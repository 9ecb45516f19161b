import { zoneOf } from '../../../../src/lib/zone.ts'
import { sessionIn } from '../../../support/commands/caller.ts'
import { plainOf, type Styled } from '../../../../src/lib/text/styled.ts'
import { describe, expect, test, vi } from 'vitest'
import type { LogStats } from '../../../../src/chat/ports.ts'
import { screenOf } from '../../../support/chat-parts.ts'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

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

describe('/history', () => {
  test('shows the newest entries, oldest first', async () => {
    await using world = await createTalk('one', 'two', 'three')
    expect(await world.type(world.bob, 'history -n 2')).toEqual(
      done('2026-01-01 00:00 ann: two', '2026-01-01 00:00 ann: three'),
    )
  })

  test('goes further back with --before, and gives JSON a line', async () => {
    await using world = await createTalk('one', 'two', 'three')
    const [last] = parsed((await world.exec(world.bob, 'history hall -n 1 --json')).out)
    expect(last).toMatchObject({ kind: 'message', text: 'three' })
    const { out } = await world.exec(world.bob, `history hall --json --before ${last?.id}`)
    expect(parsed(out).map((entry) => entry.text)).toEqual(['one', 'two'])
  })

  test('has one line for those who came and went in a row, and with --json each of them', async () => {
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

  test('counts the log: who recorded how much, and what each day had', async () => {
    await using world = await createTalk('one', '@qwen call nope {}')
    await vi.waitFor(async () => {
      const { out } = await world.exec(world.bob, 'history hall stats --json')
      const { entries, authors, days } = JSON.parse(out.join('')) as LogStats
      expect(days).toEqual([expect.objectContaining({ day: '2026-01-01', entries, replies: 1, calls: 0 })])
      expect(authors).toContainEqual({ author: 'ann', entries: 2 })
    })
    const { out } = await world.type(world.bob, 'history stats')
    expect(out.join('\n')).toMatch(/^hall: \d+ entries, 2026-01-01 to 2026-01-01\n\nwho recorded them\n/)
    expect(out.join('\n')).toMatch(/\n2026-01-01 +\d+ +1 +0 +\d+ +\d+$/)
  })

  test('shows the newest long text whole, wherever it is', async () => {
    await using world = await createTalk('one')
    expect((await world.type(world.bob, 'history paste')).out).toEqual([
      'the last 100 messages here are of 20 lines at most',
    ])
    const room = await world.turnWorld.chatParts.rooms.get('hall', world.ann)
    const text = Array.from({ length: 21 }, (_, index) => `step ${index}`).join('\n')
    await room.record({ kind: 'message', author: 'ann', text })
    await world.type(world.ann, 'say two')
    const { out } = await world.type(world.bob, 'history paste')
    expect(out).toEqual([`2026-01-01 00:00 ann: ${text.replaceAll('\n', '\n  ')}`])
  })

  test('counts nothing where nothing was said', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.ann, 'history stats', 'den')).toEqual(done('den: nothing was recorded yet'))
  })

  test('gives each entry one line of JSON, whatever a call of a tool had in it', async () => {
    await using world = await createTalk()
    const args = {
      kind: 'tool_call',
      call: 'c',
      name: 'x',
      requester: 'ann',
      arguments: { a: '\u2028\u0085' },
    } as const
    await world.turnWorld.room.record({
      ...args,
      author: 'ann',
      text: 'as a guest could store it once\u2028',
    })
    const { out } = await world.exec(world.bob, 'history lobby -n 1 --json')
    expect(out[0]).not.toMatch(/[\n\u0085\u2028]/u)
    expect(parsed(out)).toMatchObject([{ arguments: { a: '\u2028\u0085' } }])
  })

  test.each(['0', '1001', '-1', '1.5', '0x10', 'all', '9'.repeat(99)])('-n %s is refused', async (count) => {
    await using world = await createTalk()
    const problem = 'history: -n takes a whole number from 1 to 1000, such as -n 50'
    expect(await world.type(world.bob, `history -n ${count}`)).toEqual(misused(problem, FORM))
  })

  test.each(['x', '../..', '01ARZ3NDEKTSV4RRFFQ69G5FA', 'i'.repeat(26)])(
    '--before %s is refused',
    async (id) => {
      await using world = await createTalk()
      const problem = `history: ${id} is no entry's id; /history --json shows them`
      expect(await world.type(world.bob, `history --before ${id}`)).toEqual(misused(problem, FORM))
    },
  )

  test('of a private room is only for its members', async () => {
    await using world = await createTalk()
    expect(await world.exec(world.root, 'history den')).toMatchObject({ status: 1, out: [] })
    expect(await world.exec(world.ann, 'history den')).toMatchObject({ status: 0 })
  })
})

describe('/search', () => {
  test('finds the lines that have all the words, in any order and case', async () => {
    await using world = await createTalk('the build is green', 'the build is red', 'GREEN build')
    expect(await world.type(world.bob, 'search green build')).toEqual(
      done('2026-01-01 00:00 ann: the build is green', '2026-01-01 00:00 ann: GREEN build'),
    )
    expect((await world.type(world.bob, 'search -n 1 build')).out).toHaveLength(1)
  })

  test('takes signs of a query language as letters, and says when nothing was found', async () => {
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

  test('shows in a session the lines with the words, marked, and a script reads whole entries', async () => {
    await using world = await createCommandWorld()
    const room = await world.turnWorld.chatParts.rooms.get('hall', world.ann)
    const steps = Array.from({ length: 60 }, (_, index) => `Step ${index + 1}`)
    await room.record({ kind: 'message', author: 'ann', text: steps.join('\n') })
    const { caller } = sessionIn(room, world.bob)
    const printed: (string | Styled)[] = []
    const out = { ...caller.out, line: (text: string | Styled) => void printed.push(text) }
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

  test('of all rooms finds what this person may see, and names the rooms', async () => {
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

  test('of all rooms is typed in a session, too, where the dash comes before or after the flags', async () => {
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

  test('of all rooms finds nothing in a private room that one is only invited to', async () => {
    await using world = await createTalk()
    await world.exec(world.ann, 'say den a word in the den')
    await world.exec(world.ann, 'invite den bob')
    expect(await world.exec(world.bob, 'search - word')).toEqual(done('nothing in your rooms has word'))
    await world.exec(world.bob, 'join den')
    expect((await world.exec(world.bob, 'search - word')).out).toHaveLength(1)
  })

  test('gives what fits best first with --best', async () => {
    await using world = await createTalk('build build', 'a build of this and that')
    expect((await world.type(world.bob, 'search --best -n 1 build')).out).toEqual([
      '2026-01-01 00:00 ann: build build',
    ])
  })

  test('needs words', async () => {
    await using world = await createTalk()
    const form = '/search [-] [-n N] [--best] [--json] WORDS…'
    expect(await world.type(world.bob, 'search')).toEqual(misused('search: WORDS is missing', form))
  })
})

const NONE = 'no checkpoint is set: models read the whole conversation'
const BAD_NAME = "a checkpoint's name is 1-32 of letters, digits, _, . and -"

describe('/checkpoint', () => {
  test('is set after the last entry, shown to all, and cleared', async () => {
    await using world = await createCommandWorld()
    await world.type(world.bob, 'say hello')
    const set = 'ann set checkpoint v1.0: models read the conversation from here on'
    expect(await world.exec(world.ann, 'checkpoint hall v1.0')).toEqual(done(set))
    expect(await world.texts('hall', 2)).toEqual(['hello', set])
    expect(await world.type(world.bob, 'checkpoint')).toEqual(done('v1.0, set by ann 1 Jan 2026 00:00'))
    expect(await world.type(world.ann, 'checkpoint clear')).toEqual(done())
    expect(await world.type(world.bob, 'checkpoint')).toEqual(done(NONE))
  })

  test.each([
    ['v1', 'nothing was said in hall yet: models read from there anyway'],
    ['clear', 'no checkpoint is set'],
    ['a/b', BAD_NAME],
    ['x'.repeat(33), BAD_NAME],
    ['\u001b[2J', BAD_NAME],
  ])('checkpoint %s is refused', async (name, sentence) => {
    await using world = await createCommandWorld()
    expect(await world.type(world.ann, `checkpoint ${name}`)).toEqual(refused(sentence))
    expect(await world.type(world.ann, 'checkpoint')).toEqual(done(NONE))
  })
})

test('a session reads the times of /history and /search in its zone, a script in UTC', async () => {
  await using world = await createCommandWorld()
  const room = await world.turnWorld.chatParts.rooms.get('hall', world.bob)
  const { caller, told } = sessionIn(room, world.bob, zoneOf('Asia/Tokyo'))
  await world.runner.speech('a needle', caller)
  for (const line of ['history -n 1', 'search needle']) await world.runner.command(line, caller)
  expect(told.out).toEqual(['2026-01-01 09:00 bob: a needle', '2026-01-01 09:00 bob: a needle'])
  expect((await world.exec(world.bob, 'history hall -n 1')).out).toEqual(['2026-01-01 00:00 bob: a needle'])
})
