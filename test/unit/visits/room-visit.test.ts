import { expect, test } from 'vitest'
import { createLastSeen, type LastSeen } from '../../../src/chat/personal/last-seen.ts'
import { createRecentEntries } from '../../../src/visits/recent-entries.ts'
import { enterRoom } from '../../../src/visits/room-visit.ts'
import type { EntryId, TurnId } from '../../../src/words/entry.ts'
import { StorageError } from '../../../src/words/errors.ts'
import type { Participant } from '../../../src/chat/ports.ts'
import { personalLine } from '../../../src/chat/talk/direct-messages.ts'
import type { Person } from '../../../src/words/person.ts'
import type { Room } from '../../../src/chat/room.ts'
import { plainOf } from '../../../src/base/text/styled.ts'
import type { Screen } from '../../../src/terminal/ports.ts'
import { createChatParts, screenOf } from '../../support/chat-parts.ts'
import { createGreeting } from '../../../src/visits/greeting.ts'
import { personCalled } from '../../support/ssh-server.ts'

/** Of people who were never there. */
const NOTHING_SEEN: Pick<LastSeen, 'find' | 'put' | 'now'> = {
  find: async () => undefined,
  now: () => 0,
  put: async () => undefined,
}

const says = (text: string) => ({ kind: 'message', author: 'bob', text }) as const

function recordingScreen(person: Person) {
  const { seen, texts, deliver } = screenOf(person)
  const printed: string[] = []
  const screen: Screen = {
    person,
    deliver,
    print: (text) => void printed.push(plainOf(text)),
    echo() {},
    clear() {},
    message: (message) => void printed.push(personalLine(message)),
    refresh() {},
    bell() {},
    copy: () => false,
    kicked() {},
    quit() {},
  }
  return { screen, seen, texts, printed }
}

/** The same room, with something done before and after its log is read. */
const around = (room: Room, before: () => Promise<unknown>, after: () => Promise<unknown>): Room => ({
  ...room,
  async history(query) {
    await before()
    const entries = await room.history(query)
    await after()
    return entries
  },
})

test('a session that enters a room shows each entry once and in order, even concurrent ones', async () => {
  const { rooms, person } = await createChatParts()
  const room = await rooms.lobby()
  const { screen, seen, texts, printed } = recordingScreen(await person('alice'))
  await room.record(says('long ago'))
  const record = (text: string) => () => room.record(says(text))
  const stay = await enterRoom(
    around(room, record('before'), record('after')),
    screen,
    createRecentEntries(),
    NOTHING_SEEN,
  )
  await room.record(says('at last'))
  expect(printed).toEqual(['-- lobby'])
  expect(texts()).toEqual(['long ago', 'before', 'alice joined', 'after', 'at last'])
  expect(seen.map(({ id }) => id).toSorted()).toEqual(seen.map(({ id }) => id))
  await stay.leave()
  await room.record(says('too late'))
  expect(texts()).not.toContain('too late')
  expect(room.present()).toEqual([])
})

test('a whispered line is shown whatever its id, and hides no other lines', async () => {
  const { rooms, person } = await createChatParts()
  const room = await rooms.lobby()
  const alice = await person('alice')
  const { screen, texts } = recordingScreen(alice)
  const inside: Participant[] = []
  const watched: Room = { ...room, enter: (one) => (inside.push(one), room.enter(one)) }
  /** Another server's, whose clock is an hour off. */
  const whisper = (text: string, id: string): void =>
    inside[0]?.whisper?.({ ...says(text), id: id as EntryId, at: 1, room: room.name })
  const early = async (): Promise<void> => whisper('too early to be shown now', 'ZZZ')
  const stay = await enterRoom(around(watched, early, early), screen, createRecentEntries(), NOTHING_SEEN)
  await room.record(says('one'))
  whisper('by a clock that is ahead', 'ZZZ')
  await room.record(says('two'))
  whisper('by a clock that is behind', '000')
  room.whisper([alice], says('by our own'))
  expect(texts()).toEqual([
    ...['alice joined', 'too early to be shown now', 'too early to be shown now', 'one'],
    ...['by a clock that is ahead', 'two', 'by a clock that is behind', 'by our own'],
  ])
  expect(stay.newest() < 'ZZZ').toBe(true)
})

test('a person is removed from a room whose history cannot be read', async () => {
  const { rooms, person } = await createChatParts()
  const room = await rooms.lobby()
  const watcher = screenOf(await person('watcher'))
  await room.enter(watcher)
  const broken: Room = { ...room, history: () => Promise.reject(new StorageError('locked', 'busy')) }
  const { screen } = recordingScreen(await person('alice'))
  await expect(enterRoom(broken, screen, createRecentEntries(), NOTHING_SEEN)).rejects.toThrow('busy')
  expect(room.present().map(({ name }) => name)).toEqual(['watcher'])
  expect(watcher.texts()).toEqual(['watcher joined', 'alice joined', 'alice left'])
})

test('a person who enters sees at most two screens of the past', async () => {
  const { rooms, person } = await createChatParts()
  const room = await rooms.lobby()
  for (let line = 1; line <= 20; line++) await room.record(says(`${line} ${'word '.repeat(40)}`))
  await room.record({ kind: 'reply', author: 'qwen', turn: 'T' as TurnId, text: 'step\n'.repeat(60) })
  const shown = async (columns: number) => {
    const { screen, texts } = recordingScreen(await person('alice'))
    await enterRoom(room, screen, createRecentEntries(), NOTHING_SEEN, { columns, rows: 24 })
    return texts().length
  }
  expect(await shown(200)).toBe(21)
  expect(await shown(40)).toBe(7)
})

test('sessions that enter an occupied room share one read of its recent entries', async () => {
  const { rooms, person } = await createChatParts()
  const room = await rooms.lobby()
  await room.record(says('long ago'))
  let reads = 0
  const counting: Room = { ...room, history: (query) => ((reads += 1), room.history(query)) }
  const recent = createRecentEntries()
  const screens = await Promise.all(['alice', 'bob'].map(async (name) => recordingScreen(await person(name))))
  const stays = []
  for (const { screen } of screens) {
    stays.push(await enterRoom(counting, screen, recent, NOTHING_SEEN))
    await room.record(says('hello'))
  }
  const [alice, bob] = screens
  expect(alice!.texts()).toEqual(['long ago', 'alice joined', 'hello', 'bob joined', 'hello'])
  expect(bob!.texts()).toEqual(['long ago', 'hello', 'bob joined', 'hello'])
  expect(bob!.seen[1]).toBe(alice!.seen[2])
  expect(reads).toBe(1)
  for (const stay of stays) await stay.leave()
  const carol = recordingScreen(await person('carol'))
  await enterRoom(counting, carol.screen, recent, NOTHING_SEEN)
  expect(carol.texts()).toEqual(['long ago', 'hello', 'hello', 'alice, bob came and went', 'carol joined'])
  expect(reads).toBe(2)
})

test('past joins and leaves are folded to one line, shared by sessions of the same width', async () => {
  const { rooms, person } = await createChatParts()
  const room = await rooms.lobby()
  for (const name of ['alice', 'bob', 'carol']) {
    const { screen } = recordingScreen(await person(name))
    await (await enterRoom(room, screen, createRecentEntries(), NOTHING_SEEN)).leave()
  }
  const recent = createRecentEntries()
  const [one, other] = [recent.open(room), recent.open(room)]
  const known = (await one.ready)()
  const [line] = one.folded([...known], 80)
  expect(line).toMatchObject({ text: 'alice, bob, carol came and went' })
  expect(other.folded([...known], 80)[0]).toBe(line)
  expect(other.folded([...known], 20)[0]).toMatchObject({ text: 'alice, bob, carol came and went' })
  expect(other.folded(known.slice(0, 2), 80)[0]).toMatchObject({ text: 'alice came and went' })
})

test('recent entries that could not be read are read again for the next session', async () => {
  const { rooms, person } = await createChatParts()
  const room = await rooms.lobby()
  let broken = true
  const flaky: Room = {
    ...room,
    history: (query) => (broken ? Promise.reject(new StorageError('locked', 'busy')) : room.history(query)),
  }
  const recent = createRecentEntries()
  const { screen } = recordingScreen(await person('alice'))
  await expect(enterRoom(flaky, screen, recent, NOTHING_SEEN)).rejects.toThrow('busy')
  broken = false
  const bob = recordingScreen(await person('bob'))
  await enterRoom(flaky, bob.screen, recent, NOTHING_SEEN)
  expect(bob.texts()).toEqual(['alice came and went', 'bob joined'])
})

test('a session that enters a room shows the last version of edited and retracted lines', async () => {
  const { rooms, person } = await createChatParts()
  const room = await rooms.lobby()
  const lines = await Promise.all(['one', 'two', 'three', 'four'].map((text) => room.record(says(text))))
  const [one, two, three] = lines.map(({ id }) => id)
  const edit = (edits: typeof one) => room.record({ ...says('new'), ...(edits ? { edits } : {}) })
  const retract = (retracts: typeof one) =>
    room.record({
      kind: 'notice',
      level: 'info',
      author: 'bob',
      text: 'back',
      ...(retracts ? { retracts } : {}),
    })
  await edit(one)
  const { screen, seen, texts } = recordingScreen(await person('alice'))
  const recent = createRecentEntries()
  await enterRoom(
    around(
      room,
      () => edit(two),
      () => retract(three),
    ),
    screen,
    recent,
    NOTHING_SEEN,
  )
  expect(texts().slice(0, 3)).toEqual(['new', 'new', 'four'])
  expect(texts()).not.toContain('three')
  expect(seen[0]).toMatchObject({ id: one, edited: expect.any(String) })
  await edit(lines[3]?.id)
  const later = recordingScreen(await person('carol'))
  await enterRoom(room, later.screen, recent, NOTHING_SEEN)
  expect(later.texts().filter((text) => text === 'new')).toHaveLength(3)
  expect(later.texts()).not.toContain('four')
})

test('a returning person sees a mark before new lines; presence and their own lines do not count', async () => {
  const { rooms, person, storage, clock, log } = await createChatParts()
  const room = await rooms.lobby()
  const alice = await person('alice')
  const lastSeen = createLastSeen(storage.chat.lastSeen, clock, log)
  const come = async () => {
    const recorder = recordingScreen(alice)
    const order: string[] = []
    const screen: Screen = {
      ...recorder.screen,
      print: (text) => void order.push(plainOf(text)),
      deliver: (entry) => void order.push(entry.text),
    }
    return { stay: await enterRoom(room, screen, createRecentEntries(), lastSeen), order }
  }
  await room.record(says('before'))
  const first = await come()
  expect(first.order).toEqual(['-- lobby', 'before', 'alice joined'])
  await room.record(says('while there'))
  await first.stay.leave()
  await room.record({ kind: 'message', author: 'alice', text: 'from a script' })
  await room.record(says('one'))
  await room.record(says('two'))
  const second = await come()
  const mark = second.order.indexOf('-- 2 new since you left')
  expect(second.order.slice(mark, mark + 3)).toEqual(['-- 2 new since you left', 'one', 'two'])
  await second.stay.leave()
  const third = await come()
  expect(third.order.join()).not.toContain('new since')
  await third.stay.leave()
  for (let number = 0; number < 30; number++) await room.record(says(`line ${number}`))
  expect((await come()).order).toContain('-- 20 or more new since you left')
})

test('a guest or a failing store gets no mark of new lines and can still enter', async () => {
  const { rooms, person, storage, clock, log } = await createChatParts()
  const room = await rooms.lobby()
  const fail = () => Promise.reject(new StorageError('locked', 'busy'))
  const broken = createLastSeen({ find: fail, put: fail, mine: fail, drop: fail }, clock, log)
  const alice = recordingScreen(await person('alice'))
  const stay = await enterRoom(room, alice.screen, createRecentEntries(), broken)
  await room.record(says('hello'))
  await stay.leave()
  expect(alice.printed).toEqual(['-- lobby'])
  expect(log.lines.join()).toContain('could not read how far a person has read')
  const guest = recordingScreen({ ...(await person('eve')), id: 'guest:1' as Person['id'], guest: true })
  const real = createLastSeen(storage.chat.lastSeen, clock, log)
  const visit = await enterRoom(room, guest.screen, createRecentEntries(), real)
  await visit.leave()
  expect(await storage.chat.lastSeen.find(guest.screen.person.id, room.name)).toBeUndefined()
})

test('a room that a session has shown before is shown from its last line on, with later edits', async () => {
  const { rooms, person } = await createChatParts()
  const room = await rooms.lobby()
  const { id } = await room.record(says('long ago'))
  await room.record(says('and then'))
  const { screen, texts } = recordingScreen(await person('alice'))
  const first = await enterRoom(room, screen, createRecentEntries(), NOTHING_SEEN)
  await first.leave()
  const shown = texts().length
  await room.record(says('meanwhile'))
  await room.record({ ...says('long ago, mended'), edits: id })
  await enterRoom(room, screen, createRecentEntries(), NOTHING_SEEN, { after: first.newest() })
  expect(texts().slice(shown)).toEqual(['long ago, mended', 'meanwhile', 'alice joined'])
})

test('an open past question is marked as waiting only for people who may answer it', async () => {
  const { rooms, person } = await createChatParts()
  const room = await rooms.lobby()
  const ask = (question: number, text: string) =>
    room.record({
      ...{ kind: 'approval', tool: 'touch', requester: 'bob', author: 'qwen', verdict: 'asked' },
      ...{ question, text },
    })
  await ask(2, 'before a restart')
  await ask(1, 'answered')
  await ask(2, 'open')
  const { screen } = recordingScreen(await person('alice'))
  const waiting: string[] = []
  const deliver: Screen['deliver'] = (entry, how) => void (how?.waits && waiting.push(entry.text))
  await enterRoom(room, { ...screen, deliver }, createRecentEntries(), NOTHING_SEEN, { questions: () => [2] })
  expect(waiting).toEqual(['open'])
  await room.record({
    ...{ kind: 'approval', tool: 'touch', requester: 'bob', author: 'qwen', verdict: 'asked' },
    ...{ question: 3, text: 'for me', answerers: ['alice'] },
  })
  await ask(4, 'for others')
  expect(waiting).toEqual(['open', 'for me'])
})

test('only ops see the answer row of a question that only ops can answer', async () => {
  const { rooms, person } = await createChatParts()
  const alice = await person('alice')
  const room = await rooms.create('den', alice, { private: false })
  const question = ['may I?', '| touch a', '/allow 1', '/allow always 1 – for good (ops only)', '/deny 1']
  const ask = () =>
    room.record({
      ...{ kind: 'approval', tool: 'touch', requester: 'bob', author: 'qwen', verdict: 'asked', question: 1 },
      text: question.join('\n'),
    })
  await ask()
  const [owner, member] = [recordingScreen(alice), recordingScreen(await person('bob'))]
  await enterRoom(room, owner.screen, createRecentEntries(), NOTHING_SEEN)
  await enterRoom(room, member.screen, createRecentEntries(), NOTHING_SEEN)
  await ask()
  const isQuestion = (text: string): boolean => text.startsWith('may I?')
  expect(owner.texts().filter(isQuestion)).toEqual([question.join('\n'), question.join('\n')])
  const shorter = question.filter((line) => !line.includes('always')).join('\n')
  expect(member.texts().filter(isQuestion)).toEqual([shorter, shorter])
})

test('an answered question is omitted from the past that a new session shows', async () => {
  const { rooms, person } = await createChatParts()
  const room = await rooms.lobby()
  const facts = { kind: 'approval', tool: 'touch', requester: 'bob' } as const
  await room.record({ ...facts, author: 'qwen', verdict: 'asked', question: 1, text: 'may I? /allow 1' })
  await room.record({ ...facts, author: 'bob', verdict: 'once', question: 1, text: 'allowed' })
  await room.record({ ...facts, author: 'qwen', verdict: 'asked', question: 2, text: 'and this?' })
  const { screen, texts } = recordingScreen(await person('alice'))
  await enterRoom(room, screen, createRecentEntries(), NOTHING_SEEN)
  expect(texts()).toEqual(expect.arrayContaining(['allowed', 'and this?']))
  expect(texts()).not.toContain('may I? /allow 1')
})

test('only admins see current problems between servers in their greeting', async () => {
  const parts = await createChatParts()
  const lobby = await parts.rooms.lobby()
  let troubles = ['the bus is down', 'the server a is not as the server b']
  const greeting = createGreeting({ models: () => [], isClaimable: () => false, troubles: () => troubles })
  const told = (admin: boolean): string =>
    greeting(lobby, { ...personCalled('rhea'), admin }, { earlierLogins: 2, zone: 'UTC' }).join('\n')
  expect(told(true)).toMatch(/^-- the bus is down\n-- the server a is not as the server b\n/)
  expect(told(false)).not.toMatch(/the bus|the server/)
  troubles = []
  expect(told(true)).not.toMatch(/the bus|the server/)
})

test('the greeting explains commands at the first two logins, and UTC at the first', async () => {
  const lobby = await (await createChatParts()).rooms.lobby()
  const greeting = createGreeting({ models: () => [], isClaimable: () => false, troubles: () => [] })
  const told = (earlierLogins: number, zone?: string) =>
    greeting(lobby, personCalled('rhea'), { earlierLogins, zone })
  const here = '-- nobody else is here now'
  const howTo = '-- type to speak; @guide shows you around; /help lists the commands'
  expect(told(0, 'UTC')).toEqual([here, howTo, '-- times are UTC; /set timezone'])
  expect(told(0, 'Europe/Berlin')).toEqual([here, howTo])
  expect(told(1, 'UTC')).toEqual([here, howTo])
  expect(told(2, 'UTC')).toEqual([here])
})

test('the greeting of a new person names two models and the number of others', async () => {
  const lobby = await (await createChatParts()).rooms.lobby()
  const told = (...names: readonly string[]): string => {
    const models = names.map((name) => ({ name, backend: 'openai', enabled: true }))
    const greeting = createGreeting({ models: () => models, isClaimable: () => false, troubles: () => [] })
    return greeting(lobby, personCalled('rhea'), { earlierLogins: 0, zone: undefined })[1] ?? ''
  }
  const line = (models: string) =>
    `-- type to speak; @guide shows you around, ${models}; /help lists the commands`
  expect(told('qwen')).toBe(line('@qwen answers'))
  expect(told('qwen', 'gpt')).toBe(line('@qwen and @gpt answer'))
  expect(told('qwen', 'gpt', 'a', 'b')).toBe(line('@qwen, @gpt and 2 more answer, see /models'))
})
