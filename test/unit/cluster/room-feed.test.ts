import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Entry, EntryId, RoomName } from '../../../src/words/entry.ts'
import { StorageError } from '../../../src/words/errors.ts'
import { type Hint, parseNote, RoomDelivery } from '../../../src/cluster/room-feed.ts'
import { memoryLog } from '../../support/chat-parts.ts'
import { runs } from '../../support/runs.ts'

const LOBBY = 'lobby' as RoomName

/** A room's log, and what hears it. Entries come from two servers. */
function createLog() {
  const entries: Entry[] = []
  const heard: string[] = []
  const log = memoryLog()
  let isAway = false
  let reads = 0
  const asked = async <T>(value: () => T): Promise<T> => {
    if (isAway) throw new StorageError('other', 'away')
    return value()
  }
  const room = new RoomDelivery({
    newest: () => asked(() => entries.at(-1)?.id),
    read: (after) => {
      reads++
      return asked(() => entries.filter(({ id }) => id > after).slice(0, 2))
    },
    deliver: ({ text }) => void heard.push(text),
    log,
  })
  return {
    heard,
    log,
    room,
    away: (now: boolean): void => void (isAway = now),
    append(): Hint & { readonly entry: Entry } {
      const number = entries.length
      const id = `id${String(number).padStart(4, '0')}` as EntryId
      const after = entries.at(-1)?.id
      const entry: Entry = { kind: 'message', id, at: 0, room: LOBBY, author: 'ann', text: `line ${number}` }
      entries.push(entry)
      return { id, after, entry }
    },
    newest: () => entries.at(-1)!.id,
    reads: () => reads,
    /** What was said from the line with this number on. */
    from: (number: number) => entries.slice(number).map(({ text }) => text),
  }
}

/**
 * A hint goes its way: as it was sent, alone, twice, late, or not at all; or this process appended the
 * entry.
 */
const fate = fc.constantFrom('whole', 'short', 'twice', 'late', 'lost', 'own')

test('a room delivers each entry once and in order if notifications are lost, late or repeated', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(3), fc.array(fate, { maxLength: 30 }), async (before, fates) => {
      const said = createLogWith(before)
      await said.room.ready
      const late: Hint[] = []
      const under: Promise<void>[] = []
      for (const one of fates) {
        const hint = said.append()
        if (one === 'own') under.push(said.room.appended(hint.entry, hint.after))
        else if (one === 'late') late.push(hint)
        else if (one === 'short') under.push(said.room.hinted({ id: hint.id }))
        else if (one !== 'lost') under.push(said.room.hinted(hint))
        if (one === 'twice') under.push(said.room.hinted(hint))
        if (late.length > 2) under.push(...late.splice(0).map((each) => said.room.hinted(each)))
      }
      await Promise.all(under)
      if (fates.length > 0) await said.room.hinted({ id: said.newest() })
      await Promise.all(late.map((each) => said.room.hinted(each)))
      expect(said.heard).toEqual(said.from(before))
    }),
    { numRuns: runs(400) },
  )
})

function createLogWith(count: number): ReturnType<typeof createLog> {
  const said = createLog()
  for (let number = 0; number < count; number++) said.append()
  return said
}

test('an own entry appended before the first read is delivered', async () => {
  const said = createLogWith(3)
  const own = said.append()
  await Promise.all([said.room.appended(own.entry, own.after), said.room.hinted(said.append())])
  expect(said.heard).toEqual(said.from(3))
})

test('entries that could not be read are delivered after the database is back', async () => {
  const said = createLog()
  await said.room.ready
  const [, second] = [said.append(), said.append()]
  said.away(true)
  await said.room.hinted(second)
  expect(said.heard).toEqual([])
  expect(said.log.lines).toEqual(['could not read entries of other servers'])
  said.away(false)
  await said.room.hinted({ id: said.newest() })
  expect(said.heard).toEqual(said.from(0))
})

test('a room whose newest entry could not be read delivers from the first notified entry on', async () => {
  const said = createLogWith(2)
  said.away(true)
  await said.room.ready
  said.away(false)
  await said.room.hinted(said.append())
  await said.room.hinted(said.append())
  expect(said.heard).toEqual(said.from(2))
})

test('an event without an entry is delivered after the entries notified before it', async () => {
  const said = createLog()
  await said.room.ready
  const first = said.room.hinted(said.append())
  await Promise.all([first, said.room.inOrder(() => void said.heard.push('a piece'))])
  expect(said.heard).toEqual([...said.from(0), 'a piece'])
})

test('a notification with an unknown id delivers nothing and does not block later entries', async () => {
  const said = createLog()
  await said.room.ready
  await said.room.hinted(said.append())
  await said.room.hinted({ id: 'zzzz' as EntryId, after: said.newest() })
  await said.room.hinted(said.append())
  const own = said.append()
  await said.room.appended(own.entry, own.after)
  expect(said.heard).toEqual(said.from(0))
})

test('several simultaneous change notifications cause one read', async () => {
  const said = createLog()
  await said.room.ready
  const hints = [said.append(), said.append()]
  await Promise.all(hints.map((hint) => said.room.hinted(hint)))
  expect([said.heard, said.reads()]).toEqual([said.from(0), 1])
})

const whisper = { id: 'a', kind: 'message', author: 'ann', text: 'hello', room: 'lobby', at: 0 }
const note = (body: object): string => JSON.stringify({ server: 's', ...body })

test('a bus message is parsed as a notification with an id or as a whisper with its entry', () => {
  expect(parseNote(note({ hint: { id: 'a' } }))).toMatchObject({ hint: { id: 'a' } })
  expect(parseNote(note({ whisper, to: ['p'] }))).toMatchObject({ whisper })
})

test.each([
  note({ whisper: { ...whisper, kind: 'of the next version' }, to: [] }),
  note({ whisper: { ...whisper, kind: 'toString' }, to: [] }),
  note({ whisper: { ...whisper, text: 1 }, to: [] }),
  note({ hint: { id: 1 } }),
  '{}',
  'null',
  'not JSON',
])('the bus message %s is rejected', (text) => {
  expect(parseNote(text)).toBeUndefined()
})
