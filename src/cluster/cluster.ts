import type { RoomName } from '../chat/entry.ts'
import type { EntryLog, Alarm, Clock, Log, MonotonicClock, RoomBus } from '../chat/ports.ts'
import type { Elsewhere } from '../chat/presence/elsewhere.ts'
import { createClosings, type Closings } from './closings.ts'
import { differenceTo } from './differences.ts'
import { createSharedPresence } from './elsewhere.ts'
import { createLease } from './lease.ts'
import { createSharedLoans, type SharedLoans } from './loans.ts'
import { createOrders, type Orders } from './orders.ts'
import type { ClusterStores, Estate, News, ServerFacts, Wire } from './ports.ts'
import type { ServerId } from './server-id.ts'
import { createSharedPayers, type SharedPayers } from './payers.ts'
import { createSharedQuestions, type SharedQuestions } from './questions.ts'
import { createRoomFeed } from './room-feed.ts'
import { createSharedWork, type SharedWork } from './work.ts'

/** How often the log is looked at for what no hint came for, and stored what could not be, in milliseconds. */
const LOOK_MS = 1_000

/** One of several servers, for the parts of the core that need not know it. Disposing of it ends its lease, and then the wire. */
export interface Cluster extends AsyncDisposable {
  readonly rooms: ClusterRooms
  readonly people: ClusterPeople
  readonly orders: Orders
  readonly work: Pick<SharedWork, 'take' | 'elsewhere' | 'watch' | 'stop'>
  readonly questions: Pick<SharedQuestions, 'open' | 'close' | 'answer' | 'elsewhere' | 'watch'>
  readonly news: Pick<News, 'on'>
  /** Joins the others. Rejects with `StorageError`. */
  begin(hooks: ClusterHooks): Promise<void>
  /**
   * Tells the others what this server says of itself now, and resolves to how it differs from them, in sentences for admins. Rejects
   * with `StorageError`.
   */
  update(): Promise<readonly string[]>
}

/** What the rooms of all servers have in common. */
export interface ClusterRooms {
  readonly bus: RoomBus
  readonly elsewhere: Elsewhere
  /** False while the bus is away: what is said through other servers comes later then. */
  isBusUp(): boolean
}

/** What the servers know of each other's people. */
export interface ClusterPeople {
  readonly closings: Closings
  readonly loans: SharedLoans
  readonly payers: SharedPayers
}

/** What the rest of the server does for a cluster. None rejects with anything but `StorageError`. */
export interface ClusterHooks {
  /** Somebody may have come or gone some time ago, when it could not be stored: the log holds it. Never rejects. */
  readonly held: (room: RoomName) => Promise<void>
  /** Other servers have died, and what they were doing is to be ended. */
  readonly buried: (estate: Estate) => Promise<void>
  /** It is alive to the others again. */
  readonly back: () => Promise<void>
}

/** What it is made of. */
export interface ClusterParts {
  readonly stores: ClusterStores
  readonly wire: Wire
  readonly entries: Pick<EntryLog, 'read'>
  /** An earlier run of this server, which is gone. */
  readonly before?: ServerId | undefined
  /** As they are now. */
  readonly facts: () => Promise<ServerFacts>
  readonly clock: Clock & MonotonicClock & Alarm
  readonly log: Log
}

export function createCluster({ stores, wire, entries, facts, clock, log, before }: ClusterParts): Cluster {
  const { server, servers, news, newestIn } = stores
  const feed = createRoomFeed({ server, wire, entries, newestIn, log })
  const takenForDead = (): void => lease.doubt()
  const presence = createSharedPresence(stores, { clock, log, takenForDead })
  const orders = createOrders(stores)
  const work = createSharedWork({ server, work: stores.work, news, orders, clock, log })
  const questions = createSharedQuestions({ server, questions: stores.questions, news, clock, log })
  let hooks: ClusterHooks | undefined
  let isOver = false
  const lease = createLease({
    servers,
    facts,
    clock,
    log,
    onBuried: async (estate) => await hooks?.buried(estate),
    onSilent: () => work.loseAll(),
    async onBack() {
      // News may be gone that it has not read.
      await work.readAll()
      await questions.readAll()
      presence.comeAgain()
      await hooks?.back()
    },
  })

  function everySecond(look: () => Promise<void>): void {
    clock.later(LOOK_MS, () => {
      if (!isOver) void look().finally(() => everySecond(look))
    })
  }

  return {
    rooms: { bus: feed, elsewhere: presence, isBusUp: () => wire.isUp() },
    people: {
      closings: createClosings(stores.people.closings, clock, log),
      loans: createSharedLoans(stores.people.loans, news, log),
      payers: createSharedPayers(stores.people.payers, news, { clock, log, takenForDead }),
    },
    orders,
    work,
    questions,
    news,
    async update() {
      await lease.update()
      const own = await facts()
      const others = (await servers.alive()).filter(({ id }) => id !== server)
      return others.flatMap((other) => differenceTo(own, other) ?? [])
    },
    async begin(given) {
      hooks = given
      await lease.begin(before)
      // Read second, so that what changes meanwhile is news.
      await news.begin()
      await presence.begin()
      await work.begin()
      await questions.begin()
      everySecond(() => feed.lookAtLog())
      everySecond(() => presence.catchUp(given.held))
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
