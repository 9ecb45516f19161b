import { expect, test } from 'vitest'
import { StorageError } from '../../../src/words/errors.ts'
import type { Person, PersonId } from '../../../src/words/person.ts'
import { InputHistory } from '../../../src/chat/personal/input-history.ts'
import { createChatParts, type ChatParts } from '../../support/chat-parts.ts'
import { codes, newCode } from '../../../src/server/codes.ts'
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

test('typed lines are offered at the next login to the same person only', async () => {
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

test('typed lines are stored together after five seconds', async () => {
  const { open, store, alice, clock } = await createFixture()
  const session = await open(alice)
  session.sent('one')
  expect(await store.lines(alice.id)).toEqual([])
  session.sent('two')
  clock.advance(5_000)
  await expect.poll(() => store.lines(alice.id)).toEqual(['one', 'two'])
})

test('the history has the newest 200 lines', async () => {
  const { open, alice } = await createFixture()
  const first = await open(alice)
  for (let i = 0; i < 300; i++) first.sent(`line ${i}`)
  await first.close('')
  const { lines } = await open(alice)
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([200, 'line 100', 'line 299'])
})

test('an unsent draft is restored until something is sent, and is then moved to the history', async () => {
  const { open, alice } = await createFixture()
  await (await open(alice)).close('half a thou')
  await (await open(alice)).close('')
  const session = await open(alice)
  expect(session.draft).toBe('half a thou')
  session.sent('now')
  await session.close('')
  expect(await open(alice)).toMatchObject({ lines: ['half a thou', 'now'], draft: '' })
})

test('a draft that was completed and sent does not appear as a line of its own', async () => {
  const { open, alice } = await createFixture()
  await (await open(alice)).close('half a')
  const session = await open(alice)
  session.sent('half a thought')
  expect(await open(alice)).toMatchObject({ lines: ['half a thought'], draft: '' })
})

test('the newest one of two drafts is stored', async () => {
  const { open, alice } = await createFixture()
  const [first, second] = [await open(alice), await open(alice)]
  await first.close('the first')
  await second.close('the second')
  expect((await open(alice)).draft).toBe('the second')
})

test('a draft is stored for seven days, and cut if it is too long', async () => {
  const { open, alice, clock } = await createFixture()
  await (await open(alice)).close(`😀${'é'.repeat(70_000)}`)
  clock.advance(6 * DAY_MS)
  expect((await open(alice)).draft).toBe(`😀${'é'.repeat(16_382)}`)
  clock.advance(2 * DAY_MS)
  expect((await open(alice)).draft).toBe('')
})

test('a draft that is blank or looks like a secret is not stored', async () => {
  const { open, alice } = await createFixture()
  await (await open(alice)).close('  ')
  expect((await open(alice)).draft).toBe('')
  await (await open(alice)).close('my code is ABCD-EFGH')
  expect((await open(alice)).draft).toBe('')
})

test('a draft that is still being stored is offered to a new login', async () => {
  const { open, alice } = await createFixture()
  const closing = (await open(alice)).close('half a thought')
  expect((await open(alice)).draft).toBe('half a thought')
  await closing
})

test('a person with history off has no stored lines, and turning it off deletes older ones', async () => {
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

test('the lines and the draft of a guest are not stored', async () => {
  const { open, history } = await createFixture()
  const session = await open(guest)
  session.sent('one')
  await session.close('draft')
  expect(await open(guest)).toMatchObject({ lines: [], draft: '' })
  await history.forget(guest)
})

test('a store that fails is logged, and the person can still type', async () => {
  const fails = async (): Promise<never> => {
    throw new StorageError('full', 'the disk is full')
  }
  const { open, log, alice } = await createFixture({ lines: fails, addLines: fails, keepDraft: fails })
  const session = await open(alice)
  expect(session.lines).toEqual([])
  session.sent('one')
  await session.close('draft')
  expect(log.lines).toEqual([
    'could not read the input history of a person',
    'could not store the input history of a person',
    'could not store the input history of a person',
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
])('the line %s may contain a secret', (line) => expect(holdsSecret(line)).toBe(true))

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
])('the line %s contains no secret', (line) => expect(holdsSecret(line)).toBe(false))

test('every code that the server generates is recognized as a secret', () => {
  for (let i = 0; i < 200; i++)
    for (const code of [newCode(2), codes.make(), codes.make().toLowerCase()])
      expect([code, holdsSecret(`x ${code}`)]).toEqual([code, true])
})

test('the search for secrets takes less than a second for a long line of any kind', () => {
  const begin = performance.now()
  for (const part of ['A', 'AB23-', '- ', 'a1', 'sk-', 'Bearer ', ' ']) holdsSecret(part.repeat(4_000))
  expect(performance.now() - begin).toBeLessThan(1_000)
})

async function start() {
  const { storage, log, person } = await createChatParts()
  const store = storage.chat.preferences
  return { store, log, alice: await person('alice'), preferences: await Preferences.load(store, log) }
}

test('a changed preference applies at once to all open sessions of the person, and to later ones', async () => {
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

test('a chosen name colour applies to all viewers and after a restart, until it is set to auto', async () => {
  const { preferences, alice, store, log } = await start()
  expect(preferences.colourOf('alice')).toBeUndefined()
  await preferences.set(alice, 'color', 'pink')
  expect(preferences.colourOf('alice')).toBe('pink')
  expect((await Preferences.load(store, log)).colourOf('alice')).toBe('pink')
  await preferences.set(alice, 'color', 'auto')
  expect(preferences.colourOf('alice')).toBeUndefined()
  expect((await Preferences.load(store, log)).colourOf('alice')).toBeUndefined()
})

test('a stored preference that this version does not know is ignored', async () => {
  const { preferences, alice, store } = await start()
  await store.put(alice.id, { option: 'theme', value: 'sepia' })
  await store.put(alice.id, { option: 'constructor', value: 'off' })
  await store.put(alice.id, { option: 'plain', value: 'on' })
  expect(await preferences.of(alice)).toEqual({ plain: 'on' })
})

test('a preference that cannot be read has its default, and a failed change is not applied', async () => {
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
