import { expect, test, describe } from 'vitest'
import { personalLine } from '../../../src/chat/talk/direct-messages.ts'
import type { Person, PersonId, Fingerprint } from '../../../src/words/person.ts'
import { zoneOf } from '../../../src/base/zone.ts'
import { createChatParts, screenOf } from '../../support/chat-parts.ts'
import { talkOver } from '../../support/talk.ts'
import { Away } from '../../../src/chat/talk/away.ts'
import type { Entry } from '../../../src/words/entry.ts'
import { Ignores } from '../../../src/chat/talk/ignores.ts'

const guest: Person = { id: 'guest:k:eve-2' as PersonId, name: 'eve-2', admin: false, guest: true }

async function createScene() {
  const chatParts = await createChatParts()
  const talk = await talkOver(chatParts)
  const [ann, bob] = await Promise.all([chatParts.person('ann'), chatParts.person('bob')])
  /** A session, and what it was told; `rings` counts its bells. */
  const open = async (person: Person, reads: (onRead: () => void) => void = (onRead) => onRead()) => {
    const lines: string[] = []
    let rings = 0
    const session = await talk.openSession({
      person,
      print: (text) => void lines.push(text),
      message(message, onRead) {
        lines.push(personalLine(message))
        if (onRead) reads(onRead)
      },
      bell: () => void (rings += 1),
    })
    await session.showWaiting()
    return { ...session, lines, rings: () => rings }
  }
  const { messages, ignores } = talk
  return { ...chatParts, messages, ignores, ann, bob, open, openTalk: talk.openSession }
}

test('a message appears in all open sessions with a bell, or at the next login with its time', async () => {
  const { messages, ann, bob, open, clock } = await createScene()
  const [one, two] = [await open(bob), await open(bob)]
  await messages.send(ann, '@BOB', 'hello\nbob: fake')
  for (const { lines, rings } of [one, two]) {
    expect(lines).toEqual(['ann -> you: hello\n  bob: fake'])
    expect(rings()).toBe(1)
  }
  for (const session of [one, two]) session.close()
  await messages.send(guest, 'bob', 'psst')
  clock.advance(3_600_000)
  const later = await Promise.all([open(bob), open(bob)])
  const seen = later.flatMap(({ lines }) => lines)
  expect(new Set(seen)).toEqual(new Set(['eve-2 (guest) -> you (2026-01-01 00:00 UTC): psst']))
  expect((await open(bob)).lines).toEqual([])
})

test('two messages sent at the same time are both shown once', async () => {
  const { messages, ann, bob, open } = await createScene()
  const { lines } = await open(bob)
  await Promise.all([1, 2].map((n) => messages.send(ann, 'bob', `text ${n}`)))
  expect(lines.toSorted()).toEqual(['ann -> you: text 1', 'ann -> you: text 2'])
})

test('a message to an unknown name, an absent guest or a reserved name is refused in the same words', async () => {
  const { messages, ann, open } = await createScene()
  const refusal = async (name: string): Promise<string> =>
    await messages.send(ann, name, 'hello').then(
      () => 'sent',
      (error: Error) => error.message.replace(`called ${name.slice(0, 40)};`, 'called NAME;'),
    )
  const same = await Promise.all(['nobody', 'system', 'eve-2', '__proto__', '', 'x'.repeat(999)].map(refusal))
  expect(new Set(same)).toEqual(new Set(['there is nobody called NAME; /who lists the people of a room']))
  expect(await refusal('ann')).toMatch(/^that is your own name/)
  const { lines, close } = await open(guest)
  expect(await refusal('eve-2')).toBe('sent')
  expect(lines).toEqual(['ann -> you: hello'])
  close()
  expect(await refusal('eve-2')).toBe(same[0])
})

test('an empty or too long message is refused, and control characters are removed', async () => {
  const { messages, ann } = await createScene()
  for (const text of ['', ' \n ', '\u200b', 'x'.repeat(101), `${'é'.repeat(60)}\n`.repeat(2)])
    await expect(messages.send(ann, 'bob', text)).rejects.toThrow(/nothing to say|are allowed/)
  expect((await messages.send(ann, 'bob', '\u001b[31mred\u0007')).line).toBe('you -> bob: red')
})

test('the number of unread messages to a person is limited per sender and in total', async () => {
  const { messages, ann, bob, person, open } = await createScene()
  for (let n = 1; n <= 2; n += 1) await messages.send(ann, 'bob', `text ${n}`)
  await expect(messages.send(ann, 'bob', 'text 3')).rejects.toThrow(/^too many messages wait for bob/)
  for (const name of ['c1', 'c2', 'c3', 'c4']) {
    const other = await person(name)
    for (let n = 1; n <= 2; n += 1) await messages.send(other, 'bob', 'spam')
  }
  await expect(messages.send(guest, 'bob', 'one more')).rejects.toThrow(/too many/)
  expect((await open(bob)).lines).toHaveLength(10)
  await messages.send(ann, 'bob', 'text 3')
})

test('an unread message of a month ago is deleted when a new message comes', async () => {
  const { messages, ann, bob, open, clock } = await createScene()
  await messages.send(ann, 'bob', 'old')
  clock.advance(31 * 86_400_000)
  await messages.send(ann, 'bob', 'new')
  expect((await open(bob)).lines).toEqual(['ann -> you (2026-02-01 00:00 UTC): new'])
})

test('the time of an unread message is shown in the time zone of the session', async () => {
  const { messages, ann, bob, openTalk } = await createScene()
  await messages.send(ann, 'bob', 'psst')
  const heads: string[] = []
  const session = await openTalk({
    ...{ person: bob, print() {}, bell() {}, message: ({ head }) => void heads.push(head) },
    zone: () => zoneOf('Europe/Berlin'),
  })
  await session.showWaiting()
  expect(heads).toEqual(['ann -> you (2026-01-01 01:00)'])
})

test('a message of an ignored person is accepted as usual and not shown', async () => {
  const { messages, ignores, ann, bob, open } = await createScene()
  await ignores.add(bob, ann)
  const { lines } = await open(bob)
  expect((await messages.send(ann, 'bob', 'hello')).line).toBe('you -> bob: hello')
  expect(lines).toEqual([])
  await expect(messages.reply(bob, 'hi')).rejects.toThrow(/nobody has written to you/)
  await ignores.remove(bob, ann.id)
  await messages.send(ann, 'bob', 'again')
  expect(lines).toEqual(['ann -> you: again'])
})

test('a reply goes to the last sender, and is refused if that guest has left', async () => {
  const { messages, ann, bob, open } = await createScene()
  const { lines } = await open(bob)
  const toGuest = await open(guest)
  await messages.send(ann, 'bob', 'one')
  await messages.send(guest, 'bob', 'two')
  expect(lines).toHaveLength(2)
  expect((await messages.reply(bob, 'three')).line).toBe('you -> eve-2: three')
  expect(toGuest.lines).toEqual(['you -> bob: two', 'bob -> you: three'])
  toGuest.close()
  await expect(messages.reply(bob, 'four')).rejects.toThrow(/^there is nobody called eve-2/)
})

test('a session starts with two warnings if the store cannot be read', async () => {
  const { storage, bob, open } = await createScene()
  await storage[Symbol.asyncDispose]()
  const { lines, shows } = await open(bob)
  expect(lines).toEqual([
    expect.stringMatching(/^! could not load your ignore list; ignored people will be visible: /),
    expect.stringMatching(/^! could not show the private messages that wait for you: /),
  ])
  expect(shows({ kind: 'message', author: 'ann' } as Parameters<typeof shows>[0])).toBe(true)
})

test('an unread message is shown once in each session until it is read in one of them', async () => {
  const { messages, ann, bob, open, clock } = await createScene()
  const pending: (() => void)[] = []
  const asleep = await open(bob, (onRead) => void pending.push(onRead))
  await messages.send(ann, 'bob', 'one')
  await messages.send(ann, 'bob', 'two')
  expect(asleep.lines).toEqual(['ann -> you: one', 'ann -> you: two'])
  clock.advance(1_000)
  const dead = await open(bob, () => undefined)
  const waited = ['one', 'two'].map((text) => `ann -> you (2026-01-01 00:00 UTC): ${text}`)
  expect(dead.lines).toEqual(waited)
  dead.close()
  expect((await open(bob, () => undefined)).lines).toEqual(waited)
  expect(asleep.lines).toHaveLength(2)
  for (const read of pending) read()
  expect((await open(bob)).lines).toEqual([])
})

test('a sent message is shown in all sessions of its sender', async () => {
  const { messages, ann, open } = await createScene()
  const [one, two] = [await open(ann), await open(ann)]
  await messages.send(ann, 'bob', 'hello')
  for (const { lines } of [one, two]) expect(lines).toEqual(['you -> bob: hello'])
})

describe('away', () => {
  async function createScene() {
    const { rooms, person, storage, peers, clock, log } = await createChatParts()
    const open = async () => {
      const away = new Away(storage.talk.away, clock, log, peers)
      await away.readAgain()
      return away
    }
    const room = await rooms.lobby()
    const [ann, bob, cat] = await Promise.all([person('ann'), person('Böb'), person('cat')])
    const screen = screenOf(ann)
    await room.enter(screen)
    await room.enter(screenOf(bob))
    screen.seen.length = 0
    return { away: await open(), open, room, ann, bob, cat, screen }
  }

  test('an author who mentions an absent person is told so once per absence', async () => {
    const { away, room, ann, bob, screen } = await createScene()
    await away.leave(bob, ' at\nlunch \u0007')
    for (const text of ['hi @BÖB.', 'bob@Böb.org', '@Böbby', 'hi @böb']) away.heard(room, ann, text)
    expect(screen.texts()).toEqual(['Böb is away: at lunch'])
    await away.leave(bob, '')
    away.heard(room, ann, '@böb?')
    expect(screen.texts()).toEqual(['Böb is away: at lunch', 'Böb is away'])
    expect(await room.history({ limit: 9, kinds: ['notice'] })).toEqual([])
  })

  test("a person's own line ends their absence, and an absent person outside the room is not reported", async () => {
    const { away, room, ann, cat, screen } = await createScene()
    await away.leave(ann, '')
    away.heard(room, ann, 'I am @ann')
    away.heard(room, ann, 'here @ann')
    expect(screen.texts()).toEqual(['you are not away any more'])
    await away.leave(cat, '')
    away.heard(room, ann, '@cat')
    expect(screen.texts()).toHaveLength(1)
    await expect(away.leave(ann, 'x'.repeat(201))).rejects.toThrow(/200 characters/)
    expect(away.textOf(ann.id)).toBeUndefined()
  })

  test('an absence survives a restart and ends when the person speaks, except for a guest', async () => {
    const { away, open, room, ann, bob, cat } = await createScene()
    const guest = { ...cat, id: 'guest:k:cat-2' as typeof cat.id, guest: true }
    for (const person of [ann, bob, guest]) await away.leave(person, `${person.name} sleeps`)
    away.heard(room, ann, 'hello')
    await away.leave(bob, 'lunch')
    const later = await open()
    expect([ann, bob, guest].map(({ id }) => later.textOf(id))).toEqual([undefined, 'lunch', undefined])
    expect(later.comeBack(bob.id)).toBe(true)
    await later.leave(ann, '')
    expect((await open()).textOf(bob.id)).toBeUndefined()
  })
})

const entry = (facts: object): Entry => ({ kind: 'message', author: 'ann', text: 'x', ...facts }) as Entry

test("an ignored person's messages, tool runs and questions are hidden, but not notices and presence", async () => {
  const { storage, person } = await createChatParts()
  const [ann, bob] = await Promise.all([person('ann'), person('bob')])
  const ignores = new Ignores(storage.talk.ignored)
  const [one, two] = [await ignores.open(bob), await ignores.open(bob)]
  await ignores.add(bob, ann)
  for (const { shows } of [one, two]) {
    const unheard = [{}, { edits: 'i' }, { kind: 'action' }, { kind: 'notice', retracts: 'i' }]
    const runs = [{ kind: 'tool_call' }, { kind: 'tool_result', by: ann.id, author: 'before' }]
    const question = { kind: 'approval', verdict: 'asked', answerers: ['ann', 'root'] }
    expect([...unheard, ...runs, question].filter((facts) => shows(entry(facts)))).toEqual([])
    const heard = [
      ...[{ author: 'annie' }, { kind: 'notice' }, { kind: 'approval' }, { kind: 'presence' }],
      ...[{ kind: 'tool_call', turn: 't' }, { kind: 'tool_call', author: 'annie' }, { kind: 'scope' }],
      ...[
        { ...question, answerers: ['ann', 'bob'] },
        { ...question, turn: 't' },
        { ...question, verdict: 'once' },
      ],
    ]
    expect(heard.filter((facts) => !shows(entry(facts)))).toEqual([])
  }
  one.close()
  await ignores.remove(bob, ann.id)
  expect(two.shows(entry({}))).toBe(true)
  expect(two.acceptsFrom(ann)).toBe(true)
})

test('an ignore list outlives the session, except for that of a guest', async () => {
  const { storage, person } = await createChatParts()
  const [ann, bob] = await Promise.all([person('ann'), person('bob')])
  const guest: Person = { id: 'guest:k:eve-2' as PersonId, name: 'eve-2', admin: false, guest: true }
  const ignores = new Ignores(storage.talk.ignored)
  await ignores.add(bob, ann)
  await ignores.add(bob, guest)
  expect((await new Ignores(storage.talk.ignored).list(bob)).map(({ name }) => name)).toEqual([
    'ann',
    'eve-2',
  ])
  await expect(ignores.add(guest, ann)).rejects.toThrow(/only in a session/)
  const session = await ignores.open(guest)
  await ignores.add(guest, ann)
  expect(session.acceptsFrom(ann)).toBe(false)
  session.close()
  expect(await ignores.list(guest)).toEqual([])
})

test('a person cannot ignore themself or more than 200 people', async () => {
  const { storage, person } = await createChatParts()
  const bob = await person('bob')
  const ignores = new Ignores(storage.talk.ignored)
  await expect(ignores.add(bob, bob)).rejects.toThrow('you cannot ignore yourself')
  const other = (n: number): Person => ({ ...bob, id: `p${n}` as PersonId, name: `n${n}` })
  for (let n = 0; n < 200; n += 1) await ignores.add(bob, other(n))
  await expect(ignores.add(bob, other(200))).rejects.toThrow(/which is the limit/)
})

test('an ignored person is ignored under all names of their key until the entry is removed', async () => {
  const { storage, person } = await createChatParts()
  const [ann, bob] = await Promise.all([person('ann'), person('bob')])
  const ignores = new Ignores(storage.talk.ignored)
  const key = 'SHA256:k' as Fingerprint
  const hearing = await ignores.open(bob)
  const ids = ['late', `guest:${key}:eve-2`, `guest:SHA256:other:eve-3`].map((id) => id as PersonId)
  const heard = () =>
    [ann.id, ...ids].map((id) => [
      hearing.shows(entry({ author: 'renamed', by: id })),
      hearing.acceptsFrom({ id }),
    ])
  await ignores.add(bob, ann)
  ignores.onLogin(ann, key)
  ignores.onLogin({ id: ids[0]!, name: 'late' }, key)
  ignores.onLogin({ id: ids[2]!, name: 'eve-3' }, 'SHA256:other' as Fingerprint)
  expect(heard()).toEqual([
    [false, false],
    [false, false],
    [false, false],
    [true, true],
  ])
  expect(hearing.acceptsFrom({ id: 'x' as PersonId, key })).toBe(false)
  expect(hearing.shows(entry({ by: bob.id }))).toBe(true)
  expect(await ignores.isIgnored(bob, { ...ann, login: { key, network: '' } })).toBe(true)
  expect(await ignores.isIgnored(ann, bob)).toBe(false)
  await ignores.remove(bob, ann.id)
  expect(heard().flat()).toEqual(Array(8).fill(true))
})
