import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStorage } from '../../../src/storage/open.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import { StorageError } from '../../../src/words/errors.ts'
import type { PersonId } from '../../../src/words/person.ts'
import { createBroadcasts } from '../../../src/cluster/cluster.ts'
import type { Slot, SlotLimits, Work } from '../../../src/chat/peers.ts'
import type { ClusterStores } from '../../../src/cluster/stores.ts'
import { SharedQuestions } from '../../../src/cluster/questions.ts'
import { createPublisher, SharedSlots } from '../../../src/cluster/work.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import { createDeferred } from '../../../src/base/jobs/waiting.ts'
import { handClock, memoryLog } from '../../support/chat-parts.ts'
import { lacks } from '../../support/needs.ts'
import { createMigrated, postgresOptions, type TestDatabase } from '../../support/postgres/databases.ts'
import { room } from '../../support/storage.ts'

const LOBBY = 'lobby' as RoomName
const FACTS = { name: 'h:1', version: '1', config: '' }
const LIMITS = () => ({ running: 1, waiting: 5 })
/** A busy machine takes long. */
const PATIENCE = { timeout: 20_000 }
const QUIET = { stop() {}, lost() {} }

let count = 0
/** One more turn, in a queue of its own room. */
const turn = (where: string): Work => ({
  id: `t${++count}`,
  kind: 'turn',
  queue: `turn ${where}`,
  room: where as RoomName,
  person: 'ann' as PersonId,
  facts: { model: 'qwen' },
})

function slotOf(taken: Slot | SlotLimits): Slot {
  if ('running' in taken) throw new Error('the queue is full')
  return taken
}

describe.skipIf(lacks('postgres'))('two servers', () => {
  let database: TestDatabase
  const storages: Storage[] = []
  const clock = handClock()
  const stores = (at: number): ClusterStores => storages[at]!.cluster!
  const works: SharedSlots[] = []
  /** The rooms in which something changed, as each server was told. */
  const changed: RoomName[][] = [[], []]
  const questions: SharedQuestions[] = []

  function workOf(own: ClusterStores, told: RoomName[] = []): SharedSlots {
    const log = memoryLog()
    const { onBroadcast } = createBroadcasts(own, log)
    const slots = new SharedSlots({ ...own, changed: (where) => void told.push(where), clock, log })
    onBroadcast('stop', async ({ id, reason }) => slots.stopOwn(id, reason))
    return slots
  }

  beforeAll(async () => {
    database = await createMigrated()
    for (const _ of [0, 1]) storages.push(await openStorage(postgresOptions(database)))
    await storages[0]!.chat.rooms.create(room('lobby', {}))
    for (const at of [0, 1]) {
      works.push(workOf(stores(at), changed[at]))
      questions.push(new SharedQuestions({ ...stores(at), changed() {}, clock, log: memoryLog() }))
      await stores(at).servers.register(FACTS)
      await stores(at).changes.begin()
    }
  })
  afterAll(async () => {
    for (const storage of storages) {
      await storage.cluster?.changes[Symbol.asyncDispose]()
      await storage[Symbol.asyncDispose]()
    }
    await database?.[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    for (const at of [0, 1]) await stores(at).servers.register(FACTS)
  })

  /** The other one finds that this server has died. */
  async function die(at: number): Promise<void> {
    await stores(1 - at).servers.expire(0)
  }

  test('a waiting turn begins when the turn of another server ends or that server dies', async () => {
    const first = slotOf(await works[0]!.take(turn('a'), LIMITS, QUIET))
    const second = slotOf(await works[1]!.take(turn('a'), LIMITS, QUIET))
    const begun: string[] = []
    void second.ready.then(() => begun.push('second'))
    await first.ready
    expect(begun).toEqual([])
    await first.leave()
    await second.ready
    const third = slotOf(await works[0]!.take(turn('a'), LIMITS, QUIET))
    await die(1)
    await third.ready
    await third.leave()
    await second.leave()
  })

  test('a server shows the turns of another server with their state and can stop them', async () => {
    const reasons: string[] = []
    const item = turn('b')
    const slot = slotOf(
      await works[0]!.take(item, LIMITS, { ...QUIET, stop: (reason) => reasons.push(reason) }),
    )
    const seen = () => works[1]!.others('turn', 'b' as RoomName)
    await expect.poll(() => seen()[0], PATIENCE).toMatchObject({ id: item.id, waits: false, doing: {} })
    slot.report('writing')
    await expect.poll(() => seen()[0]?.doing, PATIENCE).toEqual({ what: 'writing' })
    expect(works[1]!.others('run')).toEqual([])
    expect(works[0]!.others('turn')).toEqual([])
    const [there] = seen()
    there!.stop('bob stopped it')
    await expect.poll(() => reasons, PATIENCE).toEqual(['bob stopped it'])
    await slot.leave()
    await there!.ended()
    expect(seen()).toEqual([])
    expect(changed[1]!.filter((where) => where === 'b').length).toBeGreaterThan(2)
  })

  test('a turn slot is released later if its release or its acquisition failed', async () => {
    let isBroken = false
    const { work } = stores(0)
    const fails = async (): Promise<never> => {
      throw new StorageError('other', 'the database went away')
    }
    const broken = workOf({
      ...stores(0),
      work: {
        ...work,
        leave: (...args) => (isBroken ? fails() : work.leave(...args)),
        take: async (...args) => {
          const taken = await work.take(...args)
          return isBroken ? await fails() : taken
        },
      },
    })
    const slot = slotOf(await broken.take(turn('c'), LIMITS, QUIET))
    isBroken = true
    await slot.leave()
    await expect(broken.take(turn('d'), LIMITS, QUIET)).rejects.toThrow('went away')
    const rows = async () => (await work.read()).map(({ queue }) => queue)
    expect(await rows()).toEqual(['turn c', 'turn d'])
    isBroken = false
    clock.advance(1_000)
    await expect.poll(rows, PATIENCE).toEqual([])
  })

  test('a server reports the loss of its turn slots once when it loses its lease', async () => {
    const lost: string[] = []
    const slot = slotOf(await works[0]!.take(turn('e'), LIMITS, { ...QUIET, lost: () => lost.push('e') }))
    works[0]!.loseAll()
    expect(lost).toEqual(['e'])
    await slot.leave()
    works[0]!.loseAll()
    expect(lost).toEqual(['e'])
  })

  const asked = { room: LOBBY, person: 'ann' as PersonId, asked: { tool: 'Bash' } }
  const always = (): boolean => true
  const place = (number: number) => ({ room: LOBBY, number })

  async function ask(at: number) {
    const answer = createDeferred<JsonObject>()
    const number = await questions[at]!.open(asked, always, answer.resolve)
    if (typeof number !== 'number') throw new Error('too many')
    return { number, answer: answer.promise }
  }

  test('questions of two servers share one number sequence, and only one of two answers counts', async () => {
    const open = [await ask(0), await ask(1)]
    expect(open[1]!.number).toBe(open[0]!.number + 1)
    const [{ number, answer }] = open as [Awaited<ReturnType<typeof ask>>]
    await expect.poll(() => questions[1]!.others(LOBBY).map((one) => one.number), PATIENCE).toEqual([number])
    const taken = await Promise.all([
      questions[1]!.answer(place(number), { verdict: 'once' }),
      questions[1]!.answer(place(number), { verdict: 'denied' }),
      questions[0]!.close(place(number)),
    ])
    const isAnswered = taken[0] || taken[1]
    expect([taken[0], taken[1], taken[2] === 'closed'].filter(Boolean)).toHaveLength(1)
    if (isAnswered) expect(await answer).toEqual({ verdict: taken[0] ? 'once' : 'denied' })
    await expect.poll(() => questions[1]!.others(LOBBY), PATIENCE).toEqual([])
    expect(await questions[1]!.answer(place(number), { verdict: 'once' })).toBe(false)
    expect(await questions[1]!.close(place(open[1]!.number))).toBe('closed')
  })

  test('an answered question of another server cannot be closed, and its server gets the answer once', async () => {
    const { number, answer } = await ask(0)
    expect(await questions[1]!.answer(place(number), { verdict: 'once' })).toBe(true)
    expect(await questions[0]!.close(place(number))).not.toBe('closed')
    expect(await answer).toEqual({ verdict: 'once' })
    await expect.poll(() => stores(0).questions.read(), PATIENCE).toEqual([])
  })

  test('an open question counts on all servers, and a refused one gets no number', async () => {
    const { number } = await ask(0)
    const counts: unknown[] = []
    const no = (seen: unknown): boolean => {
      counts.push(seen)
      return false
    }
    const others = { ...asked, person: 'bob' as PersonId }
    expect(await questions[1]!.open(others, no, () => {})).toEqual({ open: 1, own: 0 })
    expect(counts).toEqual([{ open: 1, own: 0 }])
    expect((await ask(1)).number).toBe(number + 1)
  })

  test('the expiry of a dead server returns its open questions and ends their answering', async () => {
    const { number } = await ask(0)
    const id = stores(0).server
    const { questions: left } = await stores(1).servers.expire(0)
    expect(left).toContainEqual({ ...place(number), server: id, asked: { tool: 'Bash' } })
    expect(await questions[0]!.close(place(number))).toBe('gone')
    expect(await questions[1]!.answer(place(number), { verdict: 'once' })).toBe(false)
  })
})

test('a publisher sends the first status immediately and then the latest once a second', async () => {
  const clock = handClock()
  const told: unknown[] = []
  const tell = createPublisher(async (doing) => void told.push(doing['n']), clock, memoryLog())
  for (const n of [1, 1, 2, 3]) tell({ n })
  expect(told).toEqual([1])
  clock.advance(1_000)
  expect(told).toEqual([1, 3])
  clock.advance(1_000)
  tell({ n: 3 })
  tell({ n: 4 })
  expect(told).toEqual([1, 3, 4])
})
