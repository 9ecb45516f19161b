import { expect, test } from 'vitest'
import { createLocalBus } from '../../../src/chat/local-bus.ts'
import { StorageError } from '../../../src/words/errors.ts'
import { LOBBY } from '../../../src/words/names.ts'
import { OpenRoom, type Room } from '../../../src/chat/room.ts'
import type { EntryLog } from '../../../src/chat/ports.ts'
import { createChatParts, screenOf, type ChatParts } from '../../support/chat-parts.ts'

const says = (author: string, text: string) => ({ kind: 'message', author, text }) as const

/** A log whose appends are told when the test says so, in the order that the test chooses. */
function manualLog(inner: EntryLog) {
  const waiting: { text: string; done: () => void; fail: (error: Error) => void }[] = []
  const entries: EntryLog = {
    ...inner,
    append(entry) {
      const stored = inner.append(entry)
      return new Promise((done, fail) => {
        waiting.push({ text: entry.text, done: () => void stored.then(done), fail })
      })
    },
  }
  return { entries, waiting }
}

/** A room for three people. */
const smallRoom = (
  { storage, sanctions, peers, clock, log, nextId }: ChatParts,
  entries: EntryLog = storage.chat.entries,
): Room =>
  new OpenRoom(
    LOBBY,
    { ...storage.chat, sanctions, entries, bus: createLocalBus(log), peers, clock, nextId, log },
    { members_per_room: 3, presence_per_min: 20 },
  )

test('a room delivers entries in the order of recording, even if the store finishes in another order', async () => {
  const chatParts = await createChatParts()
  const { person } = chatParts
  const { entries, waiting } = manualLog(chatParts.storage.chat.entries)
  const room = smallRoom(chatParts, entries)
  const alice = screenOf(await person('alice'))
  room.listen(alice)
  const all = Promise.all(['one', 'two', 'three'].map((text) => room.record(says('alice', text))))
  for (const { done } of waiting.toReversed()) done()
  const ids = (await all).map((entry) => entry.id)
  expect(alice.texts()).toEqual(['one', 'two', 'three'])
  expect(ids.toSorted()).toEqual(ids)
})

test('an entry that could not be stored is not delivered, and later entries are', async () => {
  const chatParts = await createChatParts()
  const { person } = chatParts
  const { entries, waiting } = manualLog(chatParts.storage.chat.entries)
  const room = smallRoom(chatParts, entries)
  const alice = screenOf(await person('alice'))
  room.listen(alice)
  const lost = room.record(says('alice', 'lost'))
  const kept = room.record(says('alice', 'kept'))
  waiting[0]!.fail(new StorageError('full', 'the disk is full'))
  waiting[1]!.done()
  await expect(lost).rejects.toThrow('the disk is full')
  await kept
  expect(alice.texts()).toEqual(['kept'])
})

test('people can enter and leave without announcements while nothing can be stored', async () => {
  const chatParts = await createChatParts()
  const { person, log } = chatParts
  const full = () => Promise.reject(new StorageError('full', 'the disk is full'))
  const room = smallRoom(chatParts, { ...chatParts.storage.chat.entries, append: full })
  const [alice, bob] = [screenOf(await person('alice')), screenOf(await person('bob'))]
  await room.enter(alice)
  await room.enter(bob)
  expect(room.present().map(({ name }) => name)).toEqual(['alice', 'bob'])
  await room.leave(bob)
  expect(room.present().map(({ name }) => name)).toEqual(['alice'])
  expect(alice.texts()).toEqual([])
  expect(log.lines).toContain('could not store that a person joined or left')
})

test('a room announces a person once, whatever the number of their terminals', async () => {
  const { rooms, person } = await createChatParts()
  const room = await rooms.lobby()
  const watcher = screenOf(await person('watcher'))
  await room.enter(watcher)
  const bob = await person('bob')
  const [first, second] = [screenOf(bob), screenOf(bob)]
  await room.enter(first)
  await room.enter(second)
  expect(room.present().map((one) => one.name)).toEqual(['bob', 'watcher'])
  await room.leave(first)
  await room.leave(first)
  await room.leave(second)
  expect(watcher.texts()).toEqual(['watcher joined', 'bob joined', 'bob left'])
})

test('a room delivers its own entries and none of other rooms', async () => {
  const { rooms, person } = await createChatParts()
  const alice = await person('alice')
  const [lobby, den] = [await rooms.lobby(), await rooms.create('den', alice, { private: false })]
  const [inLobby, inDen] = [screenOf(alice), screenOf(alice)]
  lobby.listen(inLobby)
  den.listen(inDen)
  await Promise.all([lobby.record(says('alice', 'here')), den.record(says('alice', 'there'))])
  expect([inLobby.texts(), inDen.texts()]).toEqual([['here'], ['there']])
})

test('a full room refuses further people, but accepts more terminals of its people', async () => {
  const chatParts = await createChatParts()
  const { person } = chatParts
  const room = smallRoom(chatParts)
  const [first, bob, dan] = [screenOf(await person('ann')), await person('bob'), await person('dan')]
  for (const one of [first, screenOf(bob), screenOf(await person('cid'))]) await room.enter(one)
  await room.enter(screenOf(bob))
  await expect(room.enter(screenOf(dan))).rejects.toThrow(
    'lobby is full: 3 of 3 people are in it; try again later',
  )
  expect(room.present().map((one) => one.name)).toEqual(['ann', 'bob', 'cid'])
  await room.leave(first)
  await room.enter(screenOf(dan))
  expect(room.present().map((one) => one.name)).toEqual(['bob', 'cid', 'dan'])
})

test('a full room admits an admin', async () => {
  const chatParts = await createChatParts()
  const { person } = chatParts
  const room = smallRoom(chatParts)
  for (const name of ['ann', 'bob', 'cid']) await room.enter(screenOf(await person(name)))
  await room.enter(screenOf(await person('root', { admin: true })))
  expect(room.present().map((one) => one.name)).toEqual(['ann', 'bob', 'cid', 'root'])
  await expect(room.enter(screenOf(await person('dan')))).rejects.toThrow('lobby is full')
})

test('a room delivers entries to the other participants if one of them throws', async () => {
  const { rooms, person, log } = await createChatParts()
  const room = await rooms.lobby()
  const alice = screenOf(await person('alice'))
  room.listen({
    deliver() {
      throw new Error('broken screen')
    },
  })
  room.listen(alice)
  await room.record(says('bob', 'hello'))
  await room.record(says('bob', 'again'))
  expect(alice.texts()).toEqual(['hello', 'again'])
  expect(log.lines).toContain('a participant threw')
})

test('a role is read from the store each time, so that a claim applies to open sessions', async () => {
  const { rooms, person, storage } = await createChatParts()
  const room = await rooms.lobby()
  const bob = await person('bob')
  expect(await room.roleOf(bob)).toBe('member')
  await storage.chat.people.claimAdmin(bob.id)
  expect(await room.roleOf(bob)).toBe('admin')
  expect(await room.roleOf({ ...bob, guest: true })).toBe('guest')
})

test('a private room is refused to outsiders in the same words as a missing room', async () => {
  const { rooms, person } = await createChatParts()
  const [alice, root] = [await person('alice'), await person('root', { admin: true })]
  await rooms.create('den', alice, { private: true })
  for (const outsider of [await person('bob'), root]) {
    const hidden = await rooms.get('den', outsider).catch((error: Error) => error.message)
    const missing = await rooms.get('dxn', outsider).catch((error: Error) => error.message)
    expect((hidden as string).replace('den', 'dxn')).toBe(missing)
    expect((await rooms.list(outsider)).map((row) => row.name)).not.toContain('den')
  }
  expect((await rooms.get('den', alice)).name).toBe('den')
  expect(await (await rooms.get('den', alice)).roleOf(alice)).toBe('owner')
})

test('a new room is refused to guests, beyond the limit, and for a taken or invalid name', async () => {
  const { rooms, person } = await createChatParts()
  const alice = await person('alice')
  await Promise.all(['a', 'b', 'c'].map((name) => rooms.create(name, alice, { private: false })))
  await expect(rooms.create('d', alice, { private: false })).rejects.toThrow('you own 3 rooms already')
  const bob = await person('bob')
  await expect(rooms.create('a', bob, { private: false })).rejects.toThrow('the name a is taken')
  await expect(rooms.create('e', { ...bob, guest: true }, { private: false })).rejects.toThrow(
    'guests cannot',
  )
  await expect(rooms.create('No Such', bob, { private: false })).rejects.toThrow('cannot be a room')
})
