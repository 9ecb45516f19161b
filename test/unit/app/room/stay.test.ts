import { expect, test } from 'vitest'
import { createRoomPasts } from '../../../../src/app/room/past.ts'
import { enterRoom } from '../../../../src/app/room/stay.ts'
import type { Chat } from '../../../../src/chat/chat.ts'
import { StorageError } from '../../../../src/chat/errors.ts'
import type { Person } from '../../../../src/chat/person.ts'
import { plainOf } from '../../../../src/lib/text/styled.ts'
import type { Screen } from '../../../../src/session/ports.ts'
import { createChatParts, screenOf } from '../../../support/chat-parts.ts'

const says = (text: string) => ({ kind: 'message', author: 'bob', text }) as const

/** A screen that writes down what it is shown. */
function recordingScreen(person: Person) {
  const { seen, texts, deliver } = screenOf(person)
  const printed: string[] = []
  const screen: Screen = {
    person,
    deliver,
    print: (text) => void printed.push(plainOf(text)),
    refresh() {},
    bell() {},
    quit() {},
  }
  return { screen, seen, texts, printed }
}

/** The same chat, with something done before and after its log is read. */
const around = (chat: Chat, before: () => Promise<unknown>, after: () => Promise<unknown>): Chat => ({
  ...chat,
  async history(room, query) {
    await before()
    const entries = await chat.history(room, query)
    await after()
    return entries
  },
})

test('who comes in sees each entry once and in order, whenever it was recorded', async () => {
  const { chat, person } = await createChatParts()
  const room = await chat.lobby()
  const { screen, seen, texts, printed } = recordingScreen(await person('alice'))
  await room.record(says('long ago'))
  const record = (text: string) => () => room.record(says(text))
  const stay = await enterRoom(room, screen, createRoomPasts(around(chat, record('before'), record('after'))))
  await room.record(says('at last'))
  expect(printed).toEqual(['-- lobby'])
  expect(texts()).toEqual(['long ago', 'alice joined', 'before', 'after', 'at last'])
  expect(seen.map(({ id }) => id).toSorted()).toEqual(seen.map(({ id }) => id))
  await stay.leave()
  await room.record(says('too late'))
  expect(texts()).not.toContain('too late')
  expect(room.present()).toEqual([])
})

test('a person to whom the room could not be shown has left it again', async () => {
  const { chat, person } = await createChatParts()
  const room = await chat.lobby()
  const watcher = screenOf(await person('watcher'))
  await room.enter(watcher)
  const broken: Chat = { ...chat, history: () => Promise.reject(new StorageError('locked', 'busy')) }
  const { screen } = recordingScreen(await person('alice'))
  await expect(enterRoom(room, screen, createRoomPasts(broken))).rejects.toThrow('busy')
  expect(room.present().map(({ name }) => name)).toEqual(['watcher'])
  expect(watcher.texts()).toEqual(['watcher joined', 'alice joined', 'alice left'])
})

test('those who come in while others are there are shown the same entries, which are read once', async () => {
  const { chat, person } = await createChatParts()
  const room = await chat.lobby()
  await room.record(says('long ago'))
  let reads = 0
  const counting: Chat = { ...chat, history: (...args) => ((reads += 1), chat.history(...args)) }
  const pasts = createRoomPasts(counting)
  const screens = await Promise.all(['alice', 'bob'].map(async (name) => recordingScreen(await person(name))))
  const stays = []
  for (const { screen } of screens) {
    stays.push(await enterRoom(room, screen, pasts))
    await room.record(says('hello'))
  }
  const [alice, bob] = screens
  expect(bob!.texts()).toEqual(['long ago', 'alice joined', 'hello', 'bob joined', 'hello'])
  expect(alice!.texts()).toEqual(bob!.texts())
  expect(bob!.seen[2]).toBe(alice!.seen[2])
  expect(reads).toBe(1)
  for (const stay of stays) await stay.leave()
  const carol = recordingScreen(await person('carol'))
  await enterRoom(room, carol.screen, pasts)
  expect(carol.texts().slice(-3)).toEqual(['alice left', 'bob left', 'carol joined'])
  expect(reads).toBe(2)
})

test('a past that could not be read is read again for the next one', async () => {
  const { chat, person } = await createChatParts()
  const room = await chat.lobby()
  let broken = true
  const flaky: Chat = {
    ...chat,
    history: (...args) =>
      broken ? Promise.reject(new StorageError('locked', 'busy')) : chat.history(...args),
  }
  const pasts = createRoomPasts(flaky)
  const { screen } = recordingScreen(await person('alice'))
  await expect(enterRoom(room, screen, pasts)).rejects.toThrow('busy')
  broken = false
  const bob = recordingScreen(await person('bob'))
  await enterRoom(room, bob.screen, pasts)
  expect(bob.texts()).toEqual(['alice joined', 'alice left', 'bob joined'])
})
