import { expect, test } from 'vitest'
import { StorageError } from '../../../../src/chat/errors.ts'
import type { Person, PersonId } from '../../../../src/chat/people/person.ts'
import { loadPreferences } from '../../../../src/chat/preferences/preferences.ts'
import { createTyping } from '../../../../src/chat/typing/typing.ts'
import { createChatParts, type ChatParts } from '../../../support/chat-parts.ts'

const guest: Person = { id: 'guest:1' as PersonId, name: 'eve-2', admin: false, guest: true }

type Typed = ChatParts['storage']['talk']['typed']

async function createScene(change: Partial<Typed> = {}, isAway: () => boolean = () => false) {
  const parts = await createChatParts()
  const timers: (() => void)[] = []
  let now = 1_000_000_000_000
  const clock = { now: () => now, later: (_ms: number, run: () => void) => void timers.push(run) }
  const kept = parts.storage.talk.typed
  const unlessAway = (): void => {
    if (isAway()) throw new StorageError('other', 'the database is away')
  }
  const store: Typed = {
    ...kept,
    addLines: async (...all) => (unlessAway(), await kept.addLines(...all)),
    keepDraft: async (...all) => (unlessAway(), await kept.keepDraft(...all)),
    ...change,
  }
  /** What one server has of it: several may share the store. */
  async function createServer() {
    const preferences = await loadPreferences(parts.storage.chat.preferences, parts.log)
    const typing = createTyping({ store, preferences, clock, log: parts.log })
    return {
      typing,
      /** As `/set history` does. */
      async want(person: Person, wanted: boolean): Promise<void> {
        await preferences.set(person, 'history', wanted ? 'on' : 'off')
        if (!wanted) await typing.forget(person)
      },
      hear: (person: Person) => preferences.readAgain(person),
    }
  }
  return {
    ...(await createServer()),
    createServer,
    store,
    log: parts.log,
    alice: await parts.person('alice'),
    bob: await parts.person('bob'),
    days: (count: number) => (now += count * 86_400_000),
    pass: () => timers.splice(0).forEach((run) => run()),
  }
}

test('what somebody typed is there at the next login, for them alone', async () => {
  const { typing, alice, bob } = await createScene()
  const first = await typing.open(alice)
  expect(first.lines).toEqual([])
  for (const line of ['one', 'two', 'two', '/claim ABCD-EFGH', 'x'.repeat(4_001), 'three']) first.sent(line)
  await first.close('')
  expect((await typing.open(alice)).lines).toEqual(['one', 'two', 'three'])
  expect((await typing.open(bob)).lines).toEqual([])
})

test('a second session has the lines of the first at once, and they are stored after a moment', async () => {
  const { typing, store, alice, pass } = await createScene()
  const first = await typing.open(alice)
  first.sent('one')
  expect((await typing.open(alice)).lines).toEqual(['one'])
  expect(await store.lines(alice.id)).toEqual([])
  first.sent('two')
  pass()
  // What is asked for is written in the order in which it was asked for.
  await store.dropDraft(alice.id, 0)
  expect(await store.lines(alice.id)).toEqual(['one', 'two'])
})

test('only the newest lines are kept', async () => {
  const { typing, alice } = await createScene()
  const first = await typing.open(alice)
  for (let i = 0; i < 300; i++) first.sent(`line ${i}`)
  await first.close('')
  const { lines } = await typing.open(alice)
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([200, 'line 100', 'line 299'])
})

test('a draft is offered until something is sent, or for seven days; no secret is kept', async () => {
  const { typing, alice, days } = await createScene()
  const close = async (draft: string) => await (await typing.open(alice)).close(draft)
  await close('half a thou')
  await close('')
  expect((await typing.open(alice)).draft).toBe('half a thou')
  const session = await typing.open(alice)
  session.sent('now')
  await session.close('')
  await close('  ')
  expect((await createAfter()).draft).toBeUndefined()
  await close('my code is ABCD-EFGH')
  expect((await createAfter()).draft).toBeUndefined()
  await close(`😀${'é'.repeat(70_000)}`)
  days(8)
  expect((await createAfter()).draft).toBeUndefined()

  async function createAfter() {
    const opened = await typing.open(alice)
    await opened.close('')
    return opened
  }
})

test('a draft is offered to the sessions that are open and to the next one, and none is lost to a later one', async () => {
  const { typing, store, alice } = await createScene()
  const [open, first, second] = [await typing.open(alice), await typing.open(alice), await typing.open(alice)]
  const heard: string[] = []
  open.onDraft((draft) => heard.push(draft))
  await first.close('the first draft')
  expect((await typing.open(alice)).draft).toBe('the first draft')
  await second.close('the second')
  expect(heard).toEqual(['the first draft', 'the second'])
  expect(await store.draft(alice.id, 0)).toBe('the second')
  open.sent('hi')
  expect((await typing.open(alice)).lines).toEqual(['the first draft', 'the second', 'hi'])
  expect((await typing.open(alice)).draft).toBeUndefined()
})

test('a draft that was finished and sent is no line of its own', async () => {
  const { typing, alice } = await createScene()
  const [open, broken] = [await typing.open(alice), await typing.open(alice)]
  await broken.close('half a')
  open.sent('half a thought')
  expect((await typing.open(alice)).lines).toEqual(['half a thought'])
})

test('whoever logs in while a draft is being stored is offered it', async () => {
  const { typing, alice } = await createScene()
  const broken = await typing.open(alice)
  const closing = broken.close('half a thought')
  expect((await typing.open(alice)).draft).toBe('half a thought')
  await closing
})

test('who wants nothing kept has it forgotten, and nothing is kept from then on', async () => {
  const { typing, store, alice, want, pass } = await createScene()
  const first = await typing.open(alice)
  first.sent('one')
  pass()
  first.sent('two')
  await want(alice, false)
  first.sent('three')
  await first.close('a draft')
  pass()
  expect([await store.lines(alice.id), await store.draft(alice.id, 0)]).toEqual([[], undefined])
  const second = await typing.open(alice)
  second.sent('four')
  await second.close('another')
  expect([await store.lines(alice.id), await store.draft(alice.id, 0)]).toEqual([[], undefined])
  const third = await typing.open(alice)
  await want(alice, true)
  third.sent('five')
  await third.close('')
  expect(await store.lines(alice.id)).toEqual(['five'])
})

test('for a guest nothing is kept', async () => {
  const { typing } = await createScene()
  const session = await typing.open(guest)
  session.sent('one')
  await session.close('draft')
  expect(await typing.open(guest)).toMatchObject({ lines: [] })
  await typing.forget(guest)
})

test('a store that fails keeps nobody from typing, and is logged', async () => {
  const fails = async (): Promise<never> => {
    throw new StorageError('full', 'the disk is full')
  }
  const { typing, log, alice } = await createScene({ lines: fails, addLines: fails, keepDraft: fails })
  const session = await typing.open(alice)
  expect(session.lines).toEqual([])
  session.sent('one')
  await session.close('draft')
  expect((log as unknown as { readonly lines: readonly string[] }).lines).toEqual([
    'what somebody typed before could not be read',
    'a draft was not stored yet',
    'what somebody typed was not stored yet',
  ])
})

test('what the store refuses is stored later: all lines, and the newest draft, the one before as a line', async () => {
  let isAway = true
  const { typing, store, alice, bob, pass } = await createScene({}, () => isAway)
  for (const draft of ['first', 'second']) {
    const session = await typing.open(alice)
    session.sent(`before ${draft}`)
    await session.close(draft)
  }
  const his = await typing.open(bob)
  his.sent('one')
  await his.close('his draft')
  isAway = false
  const stored = async ({ id }: Person) => [await store.lines(id), await store.draft(id, 0)]
  expect(await stored(alice)).toEqual([[], undefined])
  pass()
  await expect.poll(() => stored(alice)).toEqual([['before first', 'first', 'before second'], 'second'])
  await expect.poll(() => stored(bob)).toEqual([['one'], 'his draft'])
})

test('whoever comes back while the store refuses finds what waits, and is forgotten once it is stored', async () => {
  let isAway = true
  const { typing, store, alice, pass } = await createScene({}, () => isAway)
  const first = await typing.open(alice)
  first.sent('one')
  await first.close('draft')
  const second = await typing.open(alice)
  expect([second.lines, second.draft]).toEqual([['one'], 'draft'])
  await second.close('')
  isAway = false
  await expect
    .poll(async () => {
      pass()
      return [await store.lines(alice.id), await store.draft(alice.id, 0)]
    })
    .toEqual([['one'], 'draft'])
  await store.addLines(alice.id, ['from elsewhere'], { lines: 9, characters: 999 })
  expect((await typing.open(alice)).lines).toEqual(['one', 'from elsewhere'])
})

test('nothing is stored later of somebody who wants nothing kept by then', async () => {
  let isAway = true
  const { typing, store, alice, want, pass } = await createScene({}, () => isAway)
  const session = await typing.open(alice)
  session.sent('one')
  await session.close('draft')
  isAway = false
  await want(alice, false)
  pass()
  // What is asked for is written in the order in which it was asked for.
  await store.dropDraft(alice.id, 0)
  expect([await store.lines(alice.id), await store.draft(alice.id, 0)]).toEqual([[], undefined])
})

test('history that is turned off or on through another server is so here, too', async () => {
  const { typing, store, alice, pass, want, hear, createServer } = await createScene()
  const other = await createServer()
  const session = await other.typing.open(alice)
  session.sent('private')
  const first = await typing.open(alice)
  await want(alice, false)
  await other.hear(alice)
  session.sent('off')
  expect((await other.typing.open(alice)).lines).toEqual([])
  await (await other.typing.open(alice)).close('a draft')
  expect((await other.typing.open(alice)).draft).toBeUndefined()
  await other.want(alice, true)
  await hear(alice)
  pass()
  first.sent('on again')
  await first.close('')
  expect([await store.lines(alice.id), await store.draft(alice.id, 0)]).toEqual([['on again'], undefined])
})

test('of two drafts on two servers the newest is offered, and the other one is a line', async () => {
  const { typing, store, alice, days, createServer } = await createScene()
  const other = await createServer()
  const [first, second] = [await typing.open(alice), await other.typing.open(alice)]
  await first.close('the first draft')
  days(1)
  await second.close('the second')
  expect([await store.lines(alice.id), await store.draft(alice.id, 0)]).toEqual([
    ['the first draft'],
    'the second',
  ])
})

test('a draft that is stored late, after a newer one of another server, is a line', async () => {
  let isAway = true
  const { typing, store, alice, days, pass, createServer } = await createScene({}, () => isAway)
  const other = await createServer()
  const [first, second] = [await typing.open(alice), await other.typing.open(alice)]
  await first.close('the first draft')
  days(1)
  isAway = false
  await second.close('the second')
  await expect
    .poll(async () => {
      pass()
      return [await store.lines(alice.id), await store.draft(alice.id, 0)]
    })
    .toEqual([['the first draft'], 'the second'])
  expect(await typing.open(alice)).toMatchObject({ lines: ['the first draft'], draft: 'the second' })
})
