import { expect, test } from 'vitest'
import { StorageError } from '../../../src/chat/errors.ts'
import type { Person, PersonId } from '../../../src/chat/people/person.ts'
import { InputHistory } from '../../../src/chat/personal/input-history.ts'
import { createChatParts, type ChatParts } from '../../support/chat-parts.ts'
import { codes, newCode } from '../../../src/app/codes.ts'
import { holdsSecret } from '../../../src/chat/personal/secrets.ts'
import type { PreferenceStore } from '../../../src/chat/personal/ports.ts'
import { Preferences } from '../../../src/chat/personal/preferences.ts'

const guest: Person = { id: 'guest:1' as PersonId, name: 'eve-2', admin: false, guest: true }
const DAY_MS = 86_400_000

type Typed = ChatParts['storage']['talk']['typed']

async function createFixture(change: Partial<Typed> = {}) {
  const { storage, clock, log, person } = await createChatParts()
  const store: Typed = { ...storage.talk.typed, ...change }
  const history = new InputHistory(store, clock, log)
  let isWanted = true
  return {
    history,
    store,
    clock,
    log,
    alice: await person('alice'),
    bob: await person('bob'),
    open: (who: Person) => history.open(who, () => isWanted),
    /** As `/set history` does. */
    async want(who: Person, wanted: boolean): Promise<void> {
      isWanted = wanted
      await storage.chat.preferences.put(who.id, { option: 'history', value: wanted ? 'on' : 'off' })
      if (!wanted) await history.forget(who)
    },
  }
}

test('what somebody typed is there at the next login, for them alone', async () => {
  const { open, alice, bob } = await createFixture()
  const first = await open(alice)
  expect(first.lines).toEqual([])
  for (const line of ['one', 'two', 'two', '/claim ABCD-EFGH', 'x'.repeat(4_001), 'three']) first.sent(line)
  await first.close('')
  expect((await open(alice)).lines).toEqual(['one', 'two', 'three'])
  expect((await open(bob)).lines).toEqual([])
})

test('a second session has the lines of the first at once', async () => {
  const { open, alice } = await createFixture()
  const first = await open(alice)
  first.sent('one')
  expect((await open(alice)).lines).toEqual(['one'])
})

test('lines are stored together after a moment', async () => {
  const { open, store, alice, clock } = await createFixture()
  const session = await open(alice)
  session.sent('one')
  expect(await store.lines(alice.id)).toEqual([])
  session.sent('two')
  clock.advance(5_000)
  await expect.poll(() => store.lines(alice.id)).toEqual(['one', 'two'])
})

test('only the newest lines are kept', async () => {
  const { open, alice } = await createFixture()
  const first = await open(alice)
  for (let i = 0; i < 300; i++) first.sent(`line ${i}`)
  await first.close('')
  const { lines } = await open(alice)
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([200, 'line 100', 'line 299'])
})

test('a draft is offered until something is sent, and then it is a line', async () => {
  const { open, alice } = await createFixture()
  await (await open(alice)).close('half a thou')
  await (await open(alice)).close('')
  const session = await open(alice)
  expect(session.draft).toBe('half a thou')
  session.sent('now')
  await session.close('')
  expect(await open(alice)).toMatchObject({ lines: ['half a thou', 'now'], draft: '' })
})

test('a draft that was finished and sent is no line of its own', async () => {
  const { open, alice } = await createFixture()
  await (await open(alice)).close('half a')
  const session = await open(alice)
  session.sent('half a thought')
  expect(await open(alice)).toMatchObject({ lines: ['half a thought'], draft: '' })
})

test('of two drafts the last one is kept', async () => {
  const { open, alice } = await createFixture()
  const [first, second] = [await open(alice), await open(alice)]
  await first.close('the first')
  await second.close('the second')
  expect((await open(alice)).draft).toBe('the second')
})

test('a draft is kept for seven days, and its beginning if it is long', async () => {
  const { open, alice, clock } = await createFixture()
  await (await open(alice)).close(`😀${'é'.repeat(70_000)}`)
  clock.advance(6 * DAY_MS)
  expect((await open(alice)).draft).toBe(`😀${'é'.repeat(16_382)}`)
  clock.advance(2 * DAY_MS)
  expect((await open(alice)).draft).toBe('')
})

test('no draft is kept that is blank or looks like a secret', async () => {
  const { open, alice } = await createFixture()
  await (await open(alice)).close('  ')
  expect((await open(alice)).draft).toBe('')
  await (await open(alice)).close('my code is ABCD-EFGH')
  expect((await open(alice)).draft).toBe('')
})

test('a login while a draft is being stored is offered it', async () => {
  const { open, alice } = await createFixture()
  const closing = (await open(alice)).close('half a thought')
  expect((await open(alice)).draft).toBe('half a thought')
  await closing
})

test('nothing is kept of a person who wants that, and what was kept is forgotten', async () => {
  const { open, store, alice, want, clock } = await createFixture()
  const session = await open(alice)
  session.sent('one')
  clock.advance(5_000)
  session.sent('two')
  await want(alice, false)
  session.sent('three')
  await session.close('a draft')
  clock.advance(5_000)
  expect([await store.lines(alice.id), await store.draft(alice.id, 0)]).toEqual([[], undefined])
  await want(alice, true)
  const next = await open(alice)
  next.sent('five')
  await next.close('')
  expect(await store.lines(alice.id)).toEqual(['five'])
})

test('nothing is kept of a guest', async () => {
  const { open, history } = await createFixture()
  const session = await open(guest)
  session.sent('one')
  await session.close('draft')
  expect(await open(guest)).toMatchObject({ lines: [], draft: '' })
  await history.forget(guest)
})

test('a store that fails keeps nobody from typing, and is logged', async () => {
  const fails = async (): Promise<never> => {
    throw new StorageError('full', 'the disk is full')
  }
  const { open, log, alice } = await createFixture({ lines: fails, addLines: fails, keepDraft: fails })
  const session = await open(alice)
  expect(session.lines).toEqual([])
  session.sent('one')
  await session.close('draft')
  expect(log.lines).toEqual([
    'what somebody typed before was not read',
    'what somebody typed was not kept',
    'what somebody typed was not kept',
  ])
})

test.each([
  '/claim abcd-efgh',
  'claim ABCD-EFGH',
  '/cliam WXYZ-2345',
  'the code is ABCD-EFGH, tell nobody',
  '/token new --days 3',
  '/msg bob meet at nine',
  ' /w bob x',
  '/tell bob x',
  '/REPLY yes',
  'ssh -p 2222 bob+abcd-efgh-jkmn-pqrs@host',
  'abcdefghjkmnpqrs',
  'key sk-proj-abcdefghijklmnop',
  'ghp_0123456789abcdefABCDEF0123456789abcd',
  'curl -H "Authorization: Bearer abcdefgh"',
  '-----BEGIN OPENSSH PRIVATE KEY-----',
  'token=deadbeef0123456789deadbeef',
])('%s may have a secret in it', (line) => expect(holdsSecret(line)).toBe(true))

test.each([
  'tell me more',
  '/who',
  'hello there',
  '/join test-room',
  '@qwen why does work-life balance matter?',
  '/turn 01JABCDEFGHJKMNPQRSTVWXYZ0',
  '/tools read !Grep',
  'a claim that nobody believes',
  'https://example.org/a-long-but-readable-path/to-something',
  '日本語 '.repeat(100),
  '',
])('%s has none', (line) => expect(holdsSecret(line)).toBe(false))

test('every code that the server makes is one, as it is printed', () => {
  for (let i = 0; i < 200; i++)
    for (const code of [newCode(2), codes.make(), codes.make().toLowerCase()])
      expect([code, holdsSecret(`x ${code}`)]).toEqual([code, true])
})

test('a line of any kind is looked through in linear time', () => {
  const begin = performance.now()
  for (const part of ['A', 'AB23-', '- ', 'a1', 'sk-', 'Bearer ', ' ']) holdsSecret(part.repeat(4_000))
  expect(performance.now() - begin).toBeLessThan(1_000)
})

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
