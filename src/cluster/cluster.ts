import type { RoomName } from '../chat/entry.ts'
import { StorageError } from '../chat/errors.ts'
import type { Alarm, Clock, EntryLog, Log, MonotonicClock, RoomBus } from '../chat/ports.ts'
import type { Elsewhere } from '../chat/presence/elsewhere.ts'
import { createClosings, type Closings } from './closings.ts'
import { createDifferences } from './differences.ts'
import { createSharedPresence } from './elsewhere.ts'
import { Lease } from './lease.ts'
import { createSharedLoans, type SharedLoans } from './loans.ts'
import { createOrders, type Orders } from './orders.ts'
import type { ClusterStores, ExpiredServers, News, ServerFacts, Wire } from './ports.ts'
import { createSharedQuestions, type SharedQuestions } from './questions.ts'
import { createRoomFeed } from './room-feed.ts'
import { createSharedWork, type SharedWork } from './work.ts'

/** How often the log is looked at for what no hint came for, and stored what could not be, in milliseconds. */
const LOOK_MS = 1_000

const BUS_AWAY =
  'the bus between the servers is away: lines of other servers come up to a second later; the log says why'

/** One of several servers, for the parts of the core that need not know it. Disposing of it ends its lease, and then the wire. */
export interface Cluster extends AsyncDisposable {
  readonly rooms: ClusterRooms
  readonly people: ClusterPeople
  readonly orders: Orders
  readonly work: Pick<SharedWork, 'take' | 'elsewhere' | 'watch' | 'stop'>
  readonly questions: Pick<SharedQuestions, 'open' | 'close' | 'answer' | 'elsewhere' | 'watch'>
  readonly news: Pick<News, 'on' | 'caughtUp'>
  /** Joins the others. Rejects with `StorageError`. */
  begin(events: ClusterEvents): Promise<void>
  /** Tells the others what this server says of itself now, and compares it with them. Rejects with `StorageError`. */
  update(): Promise<void>
}

/** What the rooms of all servers have in common. */
export interface ClusterRooms {
  readonly bus: RoomBus
  readonly elsewhere: Elsewhere
  /** What is not as it should be between the servers, in sentences for admins: the bus is away, or they differ. */
  troubles(): readonly string[]
}

/** What the servers know of each other's people. */
export interface ClusterPeople {
  readonly closings: Closings
  readonly loans: SharedLoans
}

/** What the rest of the server does for a cluster. None rejects with anything but `StorageError`. */
export interface ClusterEvents {
  /** Somebody may have come or gone some time ago, when it could not be stored: the log holds it. Never rejects. */
  readonly held: (room: RoomName) => Promise<void>
  /** Other servers have died, and what they were doing is to be ended. */
  readonly expired: (expired: ExpiredServers) => Promise<void>
  /** It is alive to the others again, or has missed what they told: whatever it knows of them may be old. */
  readonly back: () => Promise<void>
  /** Servers differ, which the admins who are here are to be told. Never throws. */
  readonly differs: (sentence: string) => void
}

/** What it is made of. */
export interface ClusterParts {
  readonly stores: ClusterStores
  readonly wire: Wire
  readonly entries: Pick<EntryLog, 'read'>
  /** As they are now. */
  readonly facts: () => Promise<ServerFacts>
  readonly clock: Clock & MonotonicClock & Alarm
  readonly log: Log
}

export function createCluster({ stores, wire, entries, clock, log, facts }: ClusterParts): Cluster {
  const { server, servers, news, newestIn } = stores
  const feed = createRoomFeed({ server, wire, entries, newestIn, log })
  const takenForDead = (): void => lease.doubt()
  const presence = createSharedPresence(stores, { clock, log, takenForDead })
  const orders = createOrders(stores)
  const work = createSharedWork({ server, work: stores.work, news, orders, clock, log })
  const questions = createSharedQuestions({ server, questions: stores.questions, news, clock, log })
  let events: ClusterEvents | undefined
  let isOver = false
  const tell = (sentence: string): void => events?.differs(sentence)
  const differences = createDifferences({ server, servers, tell, log })
  const lease = new Lease({
    servers,
    facts,
    clock,
    log,
    onExpired: async (expired) => await events?.expired(expired),
    onLost: () => work.loseAll(),
    async onRestored() {
      presence.comeAgain()
      await readAll()
    },
    onRenewed: () => void lookAround(),
  })

  async function readAll(): Promise<void> {
    await work.readAll()
    await questions.readAll()
    await presence.readAll()
    await events?.back()
  }

  let isLooking = false
  /** With each renewal, without keeping the next one from its time. What cannot be read now is read with a later one. */
  async function lookAround(): Promise<void> {
    if (isLooking || isOver) return
    isLooking = true
    try {
      await differences.look()
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
    } finally {
      isLooking = false
    }
  }

  const troubles = (): readonly string[] => [...(wire.isUp() ? [] : [BUS_AWAY]), ...differences.now()]

  function everySecond(look: () => Promise<void>): void {
    clock.later(LOOK_MS, () => {
      if (!isOver) void look().finally(() => everySecond(look))
    })
  }

  return {
    rooms: { bus: feed, elsewhere: presence, troubles },
    people: {
      closings: createClosings(stores.people.closings, clock, log),
      loans: createSharedLoans(stores.people.loans, news, log),
    },
    orders,
    work,
    questions,
    news,
    async update() {
      await lease.update()
      await differences.look()
    },
    async begin(theirs) {
      events = theirs
      news.on('lost', readAll)
      await lease.begin()
      // Read second, so that what changes meanwhile is news.
      await news.begin()
      await presence.begin()
      await work.begin()
      await questions.begin()
      everySecond(() => feed.lookAtLog())
      everySecond(() => presence.catchUp(theirs.held))
    },
    async [Symbol.asyncDispose]() {
      isOver = true
      work.end()
      await lease[Symbol.asyncDispose]()
      await news[Symbol.asyncDispose]()
      await wire[Symbol.asyncDispose]()
    },
  }
}
