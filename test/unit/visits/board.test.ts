import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRoomBoards } from '../../../src/visits/board.ts'
import type { ShownRoutines } from '../../../src/turns/routines/index.ts'
import type { RoomStatus } from '../../../src/visits/status.ts'
import type { WaitingQuestion } from '../../../src/turns/approvals/approvals.ts'
import type { TurnId } from '../../../src/words/entry.ts'
import type { Person, PersonId } from '../../../src/words/person.ts'
import type { RunningWork, SessionStatus } from '../../../src/terminal/ports.ts'
import { work } from '../../support/session-host.ts'
import { UTC, zoneOf } from '../../../src/base/zone.ts'
import { chooseTheme } from '../../../src/terminal/drawing/theme.ts'
import { createChatParts, screenOf } from '../../support/chat-parts.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { markdown } from '../../support/markdown-tools.ts'

const HOUR_MS = 3_600_000

const withoutSgr = (row: string): string => row.replaceAll(/\u001b\[[\d;]*m/g, '')

// The store's setImmediate stays real.
beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
)
afterEach(() => void vi.useRealTimers())

const style = { columns: 120, theme: chooseTheme('vt100', {}) }
const says = (text: string) => ({ kind: 'message', author: 'bob', text }) as const

/** The lobby's board, over what a test says runs and is offered there. */
async function start() {
  const { rooms, person } = await createChatParts()
  const lobby = await rooms.lobby()
  const world = {
    running: [] as RunningWork[],
    questions: [] as WaitingQuestion[],
    lastTurn: undefined as SessionStatus['lastTurn'],
    routines: { listeners: [], nextOf: new Map() } as ShownRoutines,
    routinesRead: [] as (readonly PersonId[])[],
    routinesChanged: new Set<() => void>(),
    tools: 3,
    broken: false,
    asked: 0,
    now: 0,
    known: Promise.resolve(),
  }
  const status: RoomStatus = {
    running: () => world.running,
    questions: () => world.questions,
    lastTurn: () => (world.broken ? Promise.reject(new Error('busy')) : Promise.resolve(world.lastTurn)),
    routines: async (_room, people) => {
      world.routinesRead.push(people)
      return world.routines
    },
    onRoutines: (listener) => {
      world.routinesChanged.add(listener)
      return () => void world.routinesChanged.delete(listener)
    },
    choices: async (_room, { admin }) => {
      world.asked++
      await world.known
      if (world.broken) throw new Error('busy')
      return { models: ['guide'], scope: 'all', tools: admin ? 99 : world.tools }
    },
  }
  const boards = createRoomBoards(status, () => world.now, { tools: markdown.tools, wallNow: () => 0 })

  /** A session of somebody who is in the lobby. */
  async function session(who: Person, zone = UTC) {
    const participant = screenOf(who)
    await lobby.enter(participant)
    let refreshed = 0
    const view = boards.of(lobby).watch(who, await lobby.roleOf(who), () => refreshed++)
    // What is offered is found out meanwhile.
    await new Promise(setImmediate)
    return {
      refreshed: () => refreshed,
      status: () =>
        view
          .footer(style, [], zone)
          .status.replaceAll(/\u001b\[[\d;]*m/g, '')
          .trimEnd(),
      replies: () => view.footer(style).replies.flatMap((reply) => reply.live(0, style, false)),
      row: () => view.footer(style).status,
      async leave() {
        view.leave()
        await lobby.leave(participant)
      },
    }
  }
  return { world, boards, lobby, person, session }
}

test('the status row is refreshed while work runs, and once more after its end', async () => {
  const { world, lobby, person, session } = await start()
  const alice = await session(await person('alice'))
  const begun = alice.refreshed()
  vi.advanceTimersByTime(60_000)
  await lobby.record(says('@guide hello'))
  expect(alice.refreshed()).toBe(begun)
  world.running = [work('@guide', 'thinking', '0ms', 'alice')]
  vi.advanceTimersByTime(500)
  expect(alice.status()).toContain('@guide thinking 0ms · ^X to stop')
  world.running = [work('@guide', 'thinking', '500ms', 'alice')]
  vi.advanceTimersByTime(500)
  expect(alice.status()).toContain('500ms')
  world.running = []
  vi.advanceTimersByTime(60_000)
  expect(alice.status()).not.toContain('thinking')
  expect(alice.refreshed()).toBe(begun + 3)
})

test('the status row omits a turn after its last reply, even if the turn is still listed as running', async () => {
  const { world, lobby, person, session } = await start()
  const alice = await session(await person('alice'))
  world.running = [{ ...work('@guide', 'thinking'), id: 't1' }]
  const reply = { kind: 'reply', author: 'guide', text: 'hello', turn: 't1' as TurnId } as const
  await lobby.record(reply)
  expect(alice.status()).toContain('@guide thinking')
  await lobby.record({ ...reply, outcome: 'done' })
  expect(alice.status()).not.toContain('thinking')
  world.running = [{ ...work('@guide', 'thinking'), id: 't2' }]
  await lobby.record(says('and then'))
  vi.advanceTimersByTime(500)
  expect(alice.status()).toContain('@guide thinking')
})

test('equal sessions get the same status row, and one timer serves all', async () => {
  const { world, person, session } = await start()
  const [alice, bob] = [await session(await person('alice')), await session(await person('bob'))]
  expect(alice.row()).toBe(bob.row())
  expect(alice.status()).toBe('lobby · 2 here · @guide · tools all (3)')
  expect(world.asked).toBe(1)
  world.running = [work('bob', 'Grep')]
  const carol = await session(await person('carol'))
  expect(vi.getTimerCount()).toBe(1)
  expect(alice.status()).toContain('3 here')
  for (const one of [alice, bob, carol]) await one.leave()
  expect(vi.getTimerCount()).toBe(0)
})

test('the status row updates the offered tools when the scope changes, and keeps them if that fails', async () => {
  const { world, lobby, person, session } = await start()
  const alice = await session(await person('alice'))
  const admin = await session(await person('root', { admin: true }))
  expect([alice.status(), admin.status()].map((text) => /\((\d+)\)/.exec(text)?.[1])).toEqual(['3', '99'])
  const scope = { kind: 'scope', author: 'root', scope: 'all', text: 'tools: all' } as const
  world.broken = true
  await lobby.record(scope)
  await vi.waitFor(() => expect(world.asked).toBe(4))
  world.broken = false
  world.tools = 7
  expect(alice.status()).toContain('(3)')
  await lobby.record(scope)
  await vi.waitFor(() => expect(alice.status()).toContain('(7)'))
  expect(admin.status()).toContain('(99)')
  world.tools = 8
  world.now += 60_000
  await session(await person('bob'))
  expect(alice.status()).toContain('(8)')
})

test('a reply in progress is shown to all sessions until its turn is over, even to later ones', async () => {
  const { lobby, person, session } = await start()
  const alice = await session(await person('alice'))
  const [turn, other] = ['t1' as TurnId, 't2' as TurnId]
  lobby.stream({ turn, model: 'guide', text: 'one ' })
  lobby.stream({ turn, model: 'guide', text: 'two' })
  lobby.stream({ turn: other, model: 'qwen', text: 'half' })
  const bob = await session(await person('bob'))
  const rows = ['guide: one two', 'qwen: half']
  await vi.waitFor(() => expect(bob.replies().map(withoutSgr)).toEqual(rows))
  expect(alice.replies()).toEqual(bob.replies())
  await lobby.record({ kind: 'reply', author: 'guide', text: 'one two', turn, outcome: 'done' })
  await lobby.record({ kind: 'notice', author: 'system', text: 'failed', level: 'error', turn: other })
  expect(alice.replies()).toEqual([])
})

test('the status row shows a turn from the first text of its reply until its last reply is recorded', async () => {
  const { world, lobby, person, session } = await start()
  const alice = await session(await person('alice'))
  const turn = 't1' as TurnId
  world.running = [{ ...work('@guide', 'writing', '0ms'), id: turn }]
  lobby.stream({ turn, model: 'guide', text: 'one' })
  expect(alice.status()).toContain('@guide writing 0ms')
  await lobby.record({ kind: 'reply', author: 'guide', text: 'one', turn })
  expect(alice.status()).toContain('@guide writing 0ms')
  await lobby.record({ kind: 'reply', author: 'guide', text: 'two', turn, outcome: 'done' })
  expect(alice.status()).not.toContain('@guide writing')
})

test('the status row shows the offered tools as soon as they are known', async () => {
  const { world, person, session } = await start()
  let find = (): void => undefined
  world.known = new Promise((resolve) => (find = resolve))
  const alice = await session(await person('alice'))
  expect(alice.status()).toBe('lobby · 1 here')
  const before = alice.refreshed()
  find()
  await vi.waitFor(() => expect(alice.status()).toBe('lobby · 1 here · @guide · tools all (3)'))
  expect(alice.refreshed()).toBe(before + 1)
})

test('a new session with an unchanged offer does not refresh the screens of others', async () => {
  const { world, person, session } = await start()
  const alice = await session(await person('alice'))
  await vi.waitFor(() => expect(alice.status()).toContain('tools all (3)'))
  // Another terminal of alice, so that the count of people stays as it is.
  const refreshedBy = async (work: () => void): Promise<number> => {
    world.now += 60_000
    work()
    const [before, asked] = [alice.refreshed(), world.asked]
    await session(await person('alice'))
    await vi.waitFor(() => expect(world.asked).toBe(asked + 1))
    return alice.refreshed() - before
  }
  expect(await refreshedBy(() => undefined)).toBe(0)
  expect(await refreshedBy(() => (world.tools = 4))).toBe(1)
  expect(alice.status()).toContain('tools all (4)')
})

test('many new sessions refresh the others once after two seconds, and the count includes all', async () => {
  const { lobby, person, session } = await start()
  const alice = await session(await person('alice'))
  const before = alice.refreshed()
  for (let number = 0; number < 40; number++) await session(await person(`u${number}`))
  expect(alice.refreshed()).toBe(before)
  expect(alice.status()).toContain('41 here')
  vi.advanceTimersByTime(2_000)
  expect(alice.refreshed()).toBe(before + 1)
  vi.advanceTimersByTime(60_000)
  expect(alice.refreshed()).toBe(before + 1)
  expect(lobby.present()).toHaveLength(41)
})

test("the status row lists questions first, and a person's own waiting turn before those of others", async () => {
  const { world, lobby, person, session } = await start()
  const [alice, bob] = [await session(await person('alice')), await session(await person('bob'))]
  world.running = [
    work('@guide', 'thinking', '3s', 'carol'),
    work('@qwen', 'waiting', '2s', 'dave'),
    work('@gpt', 'waiting', '1s', 'alice'),
  ]
  world.questions = [
    { number: 2, waitsFor: 'alice', requester: 'bob' as PersonId, mayAllow: ({ name }) => name === 'alice' },
  ]
  await lobby.record({ kind: 'notice', author: 'system', text: 'something', level: 'info' })
  expect(alice.status()).toContain(
    'question 2: 2 allows, or /deny 2 · @guide thinking 3s · @gpt waits 1s · ^X to stop · @qwen waits 2s · lobby',
  )
  expect(bob.status()).toContain(
    'question 2 waits for alice · @guide thinking 3s · @qwen waits 2s · @gpt waits 1s · lobby',
  )
  world.running = []
  world.questions = []
  vi.advanceTimersByTime(500)
  expect(alice.row()).toBe(bob.row())
  expect(alice.status()).toMatch(/^lobby · 2 here/)
})

test('the status row shows the fill level of the last prompt', async () => {
  const { world, lobby, person, session } = await start()
  world.lastTurn = { model: 'guide', percent: 25 }
  const alice = await session(await person('alice'))
  await vi.waitFor(() => expect(alice.status()).toContain('@guide 25%'))
  const end = { kind: 'reply', author: 'guide', text: 'done', turn: 't1' as TurnId, outcome: 'done' } as const
  world.lastTurn = { model: 'guide', percent: 75 }
  await lobby.record(end)
  await vi.waitFor(() => expect(alice.status()).toContain('@guide 75%'))
  world.lastTurn = undefined
  await lobby.record(end)
  await vi.waitFor(() => expect(alice.status()).not.toContain('%'))
})

test('the status row shows the listening models and the next run of the viewer or the room', async () => {
  const { world, person, session } = await start()
  const [ann, ben] = [await person('ann'), await person('ben')]
  world.routines = { listeners: ['qwen'], next: 10 * HOUR_MS, nextOf: new Map([[ann.id, 8 * HOUR_MS]]) }
  const alice = await session(ann, zoneOf('Europe/Berlin'))
  const bob = await session(ben)
  expect(alice.status()).toBe('lobby · 2 here · @guide · tools all (3) · qwen listens · next 09:00')
  expect(bob.status()).toMatch(/ · qwen listens · next 10:00$/)
})

test('the status row shows changed routines and reads them at most once in two seconds', async () => {
  const { world, person, session } = await start()
  const alice = await session(await person('alice'))
  expect(world.routinesRead).toHaveLength(1)
  vi.advanceTimersByTime(60_000)
  expect(world.routinesRead).toHaveLength(1)
  const changed = (): void => world.routinesChanged.forEach((listener) => listener())
  world.routines = { listeners: ['qwen', 'gpt'], nextOf: new Map() }
  const before = alice.refreshed()
  for (let count = 0; count < 50; count++) changed()
  await vi.waitFor(() => expect(alice.status()).toMatch(/tools all \(3\) · qwen, gpt listen$/))
  expect(alice.refreshed()).toBe(before + 1)
  world.routines = { listeners: [], nextOf: new Map() }
  vi.advanceTimersByTime(2_000)
  await vi.waitFor(() => expect(alice.status()).toMatch(/tools all \(3\)$/))
  expect(world.routinesRead).toHaveLength(3)
  await alice.leave()
  expect(world.routinesChanged.size).toBe(0)
})

test('people who enter a room within two seconds share one read of its routines', async () => {
  const { world, person, session } = await start()
  const people = await Promise.all(['u1', 'u2', 'u3'].map((name) => person(name)))
  for (const one of people) await session(one)
  vi.advanceTimersByTime(2_000)
  expect(world.routinesRead).toEqual([[people[0]!.id], people.map(({ id }) => id)])
})

test('the room board releases a session that has left', async () => {
  const { boards, lobby, person } = await start()
  const bob = await person('bob')
  function comeAndGo(): WeakRef<() => void> {
    const refresh = (): void => undefined
    boards.of(lobby).watch(bob, 'member', refresh).leave()
    return new WeakRef(refresh)
  }
  const refresh = comeAndGo()
  await vi.waitFor(async () => {
    await collectGarbage()
    expect(refresh.deref()).toBe(undefined)
  })
})
