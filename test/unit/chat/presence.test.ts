import { expect, test } from 'vitest'
import fc from 'fast-check'
import { Rooms } from '../../../src/chat/rooms.ts'
import { StorageError } from '../../../src/words/errors.ts'
import type { EntryLog, Participant } from '../../../src/chat/ports.ts'
import { createLocalBus } from '../../../src/chat/local-bus.ts'
import { type PresenceChange, Tally } from '../../../src/chat/presence/tally.ts'
import { createChatParts, screenOf } from '../../support/chat-parts.ts'
import { Roster } from '../../../src/chat/presence/roster.ts'
import { personCalled } from '../../support/ssh-server.ts'
import type { Entry, EntryId, RoomName } from '../../../src/words/entry.ts'
import { PresenceFold, foldPast } from '../../../src/chat/presence/fold.ts'

const MINUTE_MS = 60_000

/** The lobby, in which so many lines a minute say who comes and goes, and one who watches. */
async function startLobby(presence_per_min: number, change: (store: EntryLog) => object = () => ({})) {
  const parts = await createChatParts()
  const { storage, sanctions, peers, clock, nextId, log, person } = parts
  const entries = { ...storage.chat.entries, ...change(storage.chat.entries) }
  const bus = createLocalBus(log)
  const rooms = new Rooms(
    { ...storage.chat, sanctions, entries, bus, peers, clock, nextId, log },
    { rooms_per_person: 3, members_per_room: 2000, presence_per_min },
  )
  const lobby = await rooms.lobby()
  const watcher = screenOf(await person('watcher'))
  lobby.listen(watcher)
  return {
    ...parts,
    rooms,
    lobby,
    watcher,
    async come(...names: readonly string[]) {
      const screens = await Promise.all(names.map(async (name) => screenOf(await person(name))))
      for (const screen of screens) await lobby.enter(screen)
      return async () => {
        for (const screen of screens) await lobby.leave(screen)
      }
    },
    /** The minute is over, and what that brings is on disk. */
    async endMinute() {
      clock.advance(MINUTE_MS)
      await storage.upkeep.health()
      await lobby.flushPresence()
    },
    logged: async () => (await lobby.history({ limit: 99 })).map(({ text }) => text),
  }
}

test('a presence listener is called at each join and leave, even beyond presence_per_min', async () => {
  const { lobby, come } = await startLobby(1)
  const seen: string[][] = []
  lobby.listen({ peopleChanged: () => seen.push(lobby.present().map(({ name }) => name)) })
  const goes = await come('ann', 'bob')
  await goes()
  expect(seen).toEqual([['ann'], ['ann', 'bob'], ['bob'], []])
})

test('joins and leaves are shown one by one up to the limit, and the rest in one line per minute', async () => {
  const { lobby, watcher, come, endMinute, logged } = await startLobby(2)
  await come('ann', 'bob')
  await (
    await come('cid', 'dan')
  )()
  expect(lobby.present().map(({ name }) => name)).toEqual(['ann', 'bob'])
  expect(watcher.texts()).toEqual(['ann joined', 'bob joined'])
  await endMinute()
  expect(watcher.texts()).toEqual(['ann joined', 'bob joined', '2 people came and went'])
  expect(await logged()).toEqual(watcher.texts())
  expect(watcher.seen.at(-1)).toMatchObject({
    kind: 'presence',
    author: 'system',
    event: 'summed',
    joined: ['cid', 'dan'],
    left: ['cid', 'dan'],
  })
})

test("the summary line counts against the next minute's limit, which resets after a quiet minute", async () => {
  const { watcher, come, endMinute } = await startLobby(2)
  await come('ann', 'bob', 'cid', 'dan')
  await endMinute()
  await come('eve', 'fay')
  expect(watcher.texts()).toEqual(['ann joined', 'bob joined', '2 people joined', 'eve joined'])
  await endMinute()
  await endMinute()
  await come('gus', 'hal')
  expect(watcher.texts().slice(4)).toEqual(['fay joined', 'gus joined', 'hal joined'])
})

test('joins and leaves that could not be stored are summed up after the next stored entry', async () => {
  let trouble: StorageError | undefined
  const { watcher, come, endMinute, lobby, logged, log } = await startLobby(20, ({ append }) => ({
    append: (...args: Parameters<typeof append>) => (trouble ? Promise.reject(trouble) : append(...args)),
  }))
  const goes = await come('ann', 'bob')
  trouble = new StorageError('full', 'the disk is full')
  await goes()
  await (
    await come('cid', 'dan')
  )()
  await endMinute()
  expect(watcher.texts()).toEqual(['ann joined', 'bob joined'])
  expect(log.lines).toContain('could not store that a person joined or left')
  trouble = undefined
  await come('dan')
  await lobby.record({ kind: 'message', author: 'dan', text: 'room again' })
  await expect
    .poll(() => watcher.texts().slice(2))
    .toEqual(['room again', '1 person joined, 2 left, 1 came and went'])
  expect(watcher.seen.at(-1)).toMatchObject({ joined: ['cid', 'dan'], left: ['ann', 'bob', 'cid'] })
  expect(await logged()).toEqual(watcher.texts())
})

test('too many unstored joins and leaves of visitors are dropped', async () => {
  let trouble: StorageError | undefined = new StorageError('full', 'the disk is full')
  const { watcher, come, endMinute } = await startLobby(20, ({ append }) => ({
    append: (...args: Parameters<typeof append>) => (trouble ? Promise.reject(trouble) : append(...args)),
  }))
  await come('ann')
  await (
    await come(...Array.from({ length: 600 }, (_, number) => `u${number}`))
  )()
  await endMinute()
  trouble = undefined
  await endMinute()
  expect(watcher.texts()).toEqual(['ann joined'])
})

test('five hundred joins are summed up before the minute is over', async () => {
  const { watcher, come, lobby, logged } = await startLobby(1)
  await come('first', ...Array.from({ length: 500 }, (_, number) => `u${number}`))
  await expect.poll(() => watcher.texts()).toEqual(['first joined', '500 people joined'])
  expect(lobby.present()).toHaveLength(501)
  expect(await logged()).toEqual(watcher.texts())
})

const changes = (joined: string, left: string): PresenceChange[] => [
  ...[...joined].map((name) => ({ name, event: 'joined' }) as const),
  ...[...left].map((name) => ({ name, event: 'left' }) as const),
]

const textOf = (all: readonly PresenceChange[]): string => {
  const tally = new Tally()
  for (const change of all) tally.add(change)
  return tally.draft().text
}

test.each([
  ['a', '', 'a joined'],
  ['', 'b', 'b left'],
  ['ab', '', '2 people joined'],
  ['', 'abc', '3 people left'],
  ['a', 'a', '1 person came and went'],
  ['ab', 'ba', '2 people came and went'],
  ['abc', 'cd', '2 people joined, 1 left, 1 came and went'],
  ['aa', 'a', '1 person came and went'],
])('the summary of joins %j and leaves %j is: %s', (joined, left, text) => {
  expect(textOf(changes(joined, left))).toBe(text)
})

test('a person who left and came back is counted as returned', () => {
  const again = [...changes('', 'ab'), ...changes('abc', '')]
  expect(textOf(again)).toBe('1 person joined, 2 left and came back')
  expect(textOf([...changes('a', 'a'), ...changes('a', '')])).toBe('a joined')
})

test('the roster lists every person once, sorted by name, with all of their terminals', () => {
  const steps = fc.array(
    fc.record({ name: fc.constantFrom('ann', 'bob', 'Cid', 'dan', 'ева'), slot: fc.nat(2) }),
  )
  fc.assert(
    fc.property(steps, (all) => {
      const roster = new Roster()
      const here = new Map<string, Participant>()
      for (const { name, slot } of all) {
        const key = `${name} ${slot}`
        const participant = here.get(key) ?? screenOf(personCalled(name))
        if (here.delete(key)) expect(roster.remove(participant)).toBe(true)
        else {
          here.set(key, participant)
          roster.add(participant)
        }
        const names = [...new Set([...here.values()].map(({ person }) => person.name))]
        expect(roster.people().map((person) => person.name)).toEqual(names.toSorted())
        expect(new Set(roster.participants())).toEqual(new Set(here.values()))
        expect(roster.participants()).toHaveLength(here.size)
        expect(roster.remove(screenOf(personCalled(name)))).toBe(false)
      }
    }),
  )
})

test('a participant list that was returned does not change later', () => {
  const roster = new Roster()
  const [ann, bob] = [screenOf(personCalled('ann')), screenOf(personCalled('bob'))]
  roster.add(ann)
  const before = roster.participants()
  roster.add(bob)
  roster.remove(ann)
  expect(before).toEqual([ann])
  expect(roster.participants()).toEqual([bob])
})

type Word = `${string} joined` | `${string} left` | 'said'

let count = 0
const base = () => ({ id: `E${count}` as EntryId, at: count++, room: 'lobby' as RoomName, author: 'system' })

const entryOf = (word: Word): Entry => {
  const event = / (joined|left)$/.exec(word)?.[1]
  if (event === undefined) return { ...base(), kind: 'message', text: word }
  return { ...base(), kind: 'presence', event: event === 'left' ? 'left' : 'joined', text: word }
}
const entries = (...words: readonly Word[]): readonly Entry[] => words.map(entryOf)
const said = (count: number): readonly Word[] => Array.from({ length: count }, () => 'said')
const texts = (shown: readonly Entry[]): readonly string[] => shown.map(({ text }) => text)

/** What is shown of a log that is read entry by entry. */
function fold(log: readonly Entry[], columns = 80): readonly Entry[] {
  const reader = new PresenceFold()
  return [...log.flatMap((entry) => reader.take(entry, columns)), ...reader.end(columns)]
}

test.each([foldPast, fold])(
  'consecutive joins and leaves are one line that groups the names by their final state',
  (shownOf) => {
    const row = entries('ann joined', 'bob joined', 'cy left', 'bob left', 'cy joined', 'dee left')
    expect(texts(shownOf([...entries(...said(4)), ...row], 80)).at(-1)).toBe(
      'ann joined · dee left · bob came and went · cy left and came back',
    )
  },
)

test.each([foldPast, fold])(
  'consecutive joins and leaves are shown as counts if the names do not fit',
  (shownOf) => {
    const long = 'b'.repeat(80)
    const log = [...entries(...said(4)), ...entries('ann joined', `${long} joined`, 'cy joined', 'dee left')]
    expect(texts(shownOf(log, 111)).at(-1)).toBe(`ann, ${long}, cy joined · dee left`)
    expect(texts(shownOf(log, 110)).at(-1)).toBe('3 people joined, 1 left')
    const wide = [...entries(...said(4)), ...entries(`${'漢'.repeat(34)} joined`, 'bob joined')]
    expect(texts(shownOf(wide, 82)).at(-1)).toBe('2 people joined')
  },
)

test.each([foldPast, fold])(
  'consecutive joins and leaves show names on a narrow screen if there are only few',
  (shownOf) => {
    const log = [...entries(...said(4)), ...entries('ann left', 'bob joined', 'bob left')]
    expect(texts(shownOf(log, 20)).at(-1)).toBe('ann left · bob came and went')
  },
)

test.each([foldPast, fold])(
  'a folded presence line includes the names of a summary, and a single summary keeps its text',
  (shownOf) => {
    const sum: Entry = {
      ...base(),
      kind: 'presence',
      event: 'summed',
      joined: ['a'],
      left: [],
      text: 'a sum',
    }
    const before = entries(...said(4))
    expect(texts(shownOf([...before, sum], 80)).at(-1)).toBe('a sum')
    expect(texts(shownOf([...before, sum, entryOf('b joined')], 80)).at(-1)).toBe('a, b joined')
  },
)

test.each([foldPast, fold])(
  'a person who joined before a summary of their leave and return is shown as joined',
  (shownOf) => {
    const sum: Entry = {
      ...base(),
      kind: 'presence',
      event: 'summed',
      joined: ['ann', 'bob'],
      left: ['ann', 'bob'],
      text: 'a sum',
    }
    const log = [...entries(...said(4), 'ann joined'), sum]
    expect(texts(shownOf(log, 80)).at(-1)).toBe('ann joined · bob came and went')
  },
)

test('a single join keeps its recorded entry', () => {
  const log = entries(...said(3), 'ann joined', 'said')
  expect(foldPast(log, 80)).toEqual(log)
  expect(fold(log)).toEqual(log)
})

test('a folded line has the id and time of its last entry', () => {
  const log = entries(...said(3), 'ann joined', 'bob joined', 'said')
  for (const shown of [foldPast(log, 80), fold(log)]) {
    expect(shown[3]).toMatchObject({ id: log[4]?.id, at: log[4]?.at, joined: ['ann', 'bob'], left: [] })
  }
})

test('joins and leaves are shown as one line if the log has no other entries', () => {
  for (const shownOf of [foldPast, fold])
    expect(texts(shownOf(entries('ann joined', 'bob joined'), 80))).toEqual(['ann, bob joined'])
  expect(fold([])).toEqual([])
})

test('folded presence lines are less than a third of all lines, and every message is shown', () => {
  const words = fc.constantFrom<Word>('said', 'ann joined', 'ann left', 'bob joined', 'bob left')
  fc.assert(
    fc.property(fc.array(words, { maxLength: 60 }), (list) => {
      const log = entries(...list)
      const speech = log.filter(({ kind }) => kind === 'message')
      for (const shown of [foldPast(log, 80), fold(log)]) {
        expect(shown.filter(({ kind }) => kind === 'message')).toEqual(speech)
        const lines = shown.length - speech.length
        expect(lines * 3 < shown.length || (speech.length === 0 && shown.length <= 1)).toBe(true)
        expect(texts(shown.filter((_, at) => isPresence(shown[at]) && isPresence(shown[at + 1])))).toEqual([])
      }
    }),
  )
})

const isPresence = (entry: Entry | undefined): boolean => entry?.kind === 'presence'

test('a folded presence line stays pending until another line is shown', () => {
  const reader = new PresenceFold()
  for (const entry of entries(...said(3))) reader.take(entry, 80)
  expect(reader.take(entryOf('ann joined'), 80)).toEqual([])
  expect(reader.take(entryOf('bob joined'), 80)).toEqual([])
  expect(reader.waiting(80)?.text).toBe('ann, bob joined')
  expect(reader.waiting(80)).toBe(reader.waiting(80))
  expect(texts(reader.other(80))).toEqual(['ann, bob joined'])
  expect(reader.waiting(80)).toBeUndefined()
})

test("a person's own join is shown at once, and a long row is split into lines of 200", () => {
  const reader = new PresenceFold('me')
  expect(texts(reader.take(entryOf('me joined'), 80))).toEqual(['me joined'])
  const shown = Array.from({ length: 1_000 }, (_, at) => reader.take(entryOf(`p${at} joined`), 80)).flat()
  expect(texts(shown)).toEqual(Array.from({ length: 5 }, () => '200 people joined'))
})
