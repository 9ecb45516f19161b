import { expect, test } from 'vitest'
import { StorageError } from '../../../../src/chat/errors.ts'
import type { PreferenceStore } from '../../../../src/chat/personal/ports.ts'
import { Preferences } from '../../../../src/chat/personal/preferences.ts'
import { createChatParts } from '../../../support/chat-parts.ts'

async function start() {
  const { storage, log, person } = await createChatParts()
  const store = storage.chat.preferences
  return { store, log, alice: await person('alice'), preferences: await Preferences.load(store, log) }
}

test('a change holds at once in all sessions of the person, and in those that come later', async () => {
  const { preferences, alice, store, log } = await start()
  const [first, second] = [await preferences.open(alice), await preferences.open(alice)]
  const heard: string[] = []
  first.onChange((option) => heard.push(`first ${option}`))
  second.onChange((option) => heard.push(`second ${option}`))
  await preferences.set(alice, 'theme', 'light')
  first.close()
  await preferences.set(alice, 'bell', 'off')
  expect(heard).toEqual(['first theme', 'second theme', 'second bell'])
  expect(second.now()).toEqual({ theme: 'light', bell: 'off' })
  second.close()
  const later = await (await Preferences.load(store, log)).open(alice)
  expect(later.now()).toEqual({ theme: 'light', bell: 'off' })
})

test('everybody sees the colour that somebody chose for their name, also after a restart, until it is auto again', async () => {
  const { preferences, alice, store, log } = await start()
  expect(preferences.colourOf('alice')).toBeUndefined()
  await preferences.set(alice, 'color', 'pink')
  expect(preferences.colourOf('alice')).toBe('pink')
  expect((await Preferences.load(store, log)).colourOf('alice')).toBe('pink')
  await preferences.set(alice, 'color', 'auto')
  expect(preferences.colourOf('alice')).toBeUndefined()
  expect((await Preferences.load(store, log)).colourOf('alice')).toBeUndefined()
})

test('what another version stored and this one does not know is as usual', async () => {
  const { preferences, alice, store } = await start()
  await store.put(alice.id, { option: 'theme', value: 'sepia' })
  await store.put(alice.id, { option: 'constructor', value: 'off' })
  await store.put(alice.id, { option: 'plain', value: 'on' })
  expect(await preferences.of(alice)).toEqual({ plain: 'on' })
})

test('what cannot be read is as usual, and what cannot be stored does not hold', async () => {
  const { alice, log } = await start()
  const fail = () => Promise.reject(new StorageError('locked', 'busy'))
  const broken: PreferenceStore = { of: fail, put: fail, everyone: async () => [] }
  const preferences = await Preferences.load(broken, log)
  const session = await preferences.open(alice)
  expect(session.now()).toEqual({})
  await expect(preferences.set(alice, 'color', 'pink')).rejects.toThrow('busy')
  expect(session.now()).toEqual({})
  expect(preferences.colourOf('alice')).toBeUndefined()
})
