import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Entry, EntryId, RoomName } from '../../../src/chat/entry.ts'
import { StorageError } from '../../../src/chat/errors.ts'
import { createHeardRoom, type Hint } from '../../../src/cluster/heard-room.ts'
import { memoryLog } from '../../support/chat-parts.ts'
import { runs } from '../../support/runs.ts'

const LOBBY = 'lobby' as RoomName

/** A room's log, and what hears it. Entries come from two servers. */
function createLog() {
  const entries: Entry[] = []
  const heard: string[] = []
  const log = memoryLog()
  let isAway = false
  const asked = async <T>(value: () => T): Promise<T> => {
    if (isAway) throw new StorageError('other', 'away')
    return value()
  }
  const room = createHeardRoom({
    newest: () => asked(() => entries.at(-1)?.id),
    read: (after) => asked(() => entries.filter(({ id }) => id > after).slice(0, 2)),
    deliver: ({ text }) => void heard.push(text),
    log,
  })
  return {
    heard,
    log,
    room,
    away: (now: boolean): void => void (isAway = now),
    append(): Hint {
      const number = entries.length
      const id = `id${String(number).padStart(4, '0')}` as EntryId
      const after = entries.at(-1)?.id
      const entry: Entry = { kind: 'message', id, at: 0, room: LOBBY, author: 'ann', text: `line ${number}` }
      entries.push(entry)
      return { id, after, entry }
    },
    newest: () => entries.at(-1)!.id,
    /** What was said from the line with this number on. */
    from: (number: number) => entries.slice(number).map(({ text }) => text),
  }
}

/** A hint goes its way: as it was sent, without its entry, twice, late, or not at all. */
const fate = fc.constantFrom('whole', 'short', 'twice', 'late', 'lost', 'own')

test('whatever becomes of the hints, each entry is delivered once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(3), fc.array(fate, { maxLength: 30 }), async (before, fates) => {
      const said = createLogWith(before)
      await said.room.ready
      const late: Hint[] = []
      const under: Promise<void>[] = []
      for (const one of fates) {
        const hint = said.append()
        if (one === 'own') under.push(said.room.own(hint))
        else if (one === 'late') late.push(hint)
        else if (one === 'short') under.push(said.room.other({ id: hint.id, after: hint.after }))
        else if (one !== 'lost') under.push(said.room.other(hint))
        if (one === 'twice') under.push(said.room.other(hint))
        if (late.length > 2) under.push(...late.splice(0).map((each) => said.room.other(each)))
      }
      await Promise.all(under)
      if (fates.length > 0) await said.room.reach(said.newest())
      await Promise.all(late.map((each) => said.room.other(each)))
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

test('what this process appends before it knows where to begin is delivered', async () => {
  const said = createLogWith(3)
  const own = said.append()
  await Promise.all([said.room.own(own), said.room.other(said.append())])
  expect(said.heard).toEqual(said.from(3))
})

test('what cannot be read is delivered once it can be', async () => {
  const said = createLog()
  await said.room.ready
  const [, second] = [said.append(), said.append()]
  said.away(true)
  await said.room.other(second)
  expect(said.heard).toEqual([])
  expect(said.log.lines).toEqual(['what was said on other servers could not be read'])
  said.away(false)
  await said.room.reach(said.newest())
  expect(said.heard).toEqual(said.from(0))
})

test('where it cannot be read what is there already, it begins with the first that is heard', async () => {
  const said = createLogWith(2)
  said.away(true)
  await said.room.ready
  said.away(false)
  await said.room.other(said.append())
  await said.room.other(said.append())
  expect(said.heard).toEqual(said.from(2))
})

test('what is no entry comes after what was heard before it', async () => {
  const said = createLog()
  await said.room.ready
  const first = said.room.other(said.append())
  await Promise.all([first, said.room.serially(() => void said.heard.push('a piece'))])
  expect(said.heard).toEqual([...said.from(0), 'a piece'])
})

test('an entry that the log does not have holds nothing up', async () => {
  const said = createLog()
  await said.room.ready
  const first = said.append()
  await said.room.other(first)
  const forged = { ...first.entry!, id: 'zzzz' as EntryId, text: 'forged' }
  await said.room.other({ id: forged.id, after: first.id, entry: forged })
  const second = said.append()
  await said.room.other(second)
  expect(said.heard).toEqual(['line 0', 'forged'])
  for (const _ of [1, 2]) await said.room.reach(said.newest())
  await said.room.other(said.append())
  expect(said.heard).toEqual(['line 0', 'forged', 'line 1', 'line 2'])
})

test('an entry that the log does not have holds nothing up either where the log was looked at just before it', async () => {
  const said = createLog()
  await said.room.ready
  const first = said.append()
  await said.room.other(first)
  await said.room.reach(said.newest())
  const forged = { ...first.entry!, id: 'zzzz' as EntryId, text: 'forged' }
  await said.room.other({ id: forged.id, after: first.id, entry: forged })
  await said.room.other(said.append())
  for (const _ of [1, 2]) await said.room.reach(said.newest())
  await said.room.other(said.append())
  expect(said.heard).toEqual(['line 0', 'forged', 'line 1', 'line 2'])
})

test('nor where it is the first that is heard', async () => {
  const said = createLogWith(1)
  await said.room.ready
  const first = said.append()
  const forged = { ...first.entry!, id: 'zzzz' as EntryId, text: 'forged' }
  await said.room.other({ id: forged.id, after: 'id0000' as EntryId, entry: forged })
  await said.room.other(first)
  for (const _ of [1, 2]) await said.room.reach(said.newest())
  await said.room.other(said.append())
  expect(said.heard).toEqual(['forged', 'line 1', 'line 2'])
})
