import type { RoomName } from '../chat/entry.ts'
import { StorageError } from '../chat/errors.ts'
import type { Peers } from '../chat/peers.ts'
import type { PresenceChange } from '../chat/presence/tally.ts'
import type { Alarm, Clock, EntryLog, Log, MonotonicClock, RoomBus } from '../chat/ports.ts'
import { createBroadcasts, type BroadcastListener } from './broadcasts.ts'
import { Differences } from './differences.ts'
import { Lease } from './lease.ts'
import { OwnPresence, RemotePresence } from './presence.ts'
import { SharedQuestions } from './questions.ts'
import { createRoomFeed } from './room-feed.ts'
import type { Changes, ClusterStores, ExpiredServers, ServerFacts, ServerId, Wire } from './stores.ts'
import { SharedSlots } from './work.ts'

/**
 * How often the log is looked at for entries that no hint came for, and unstored presence is stored, in ms.
 */
const LOOK_MS = 1_000

/** How often it is looked whether everybody is out of a room that is being deleted, and how often at most. */
const CLOSING_LOOK_MS = 50
const CLOSING_LOOKS = 200

const BUS_AWAY =
  'the bus between the servers is away: lines of other servers come up to a second later; the log says why'

/** One of several servers. Disposing of it ends its lease, and then the wire. */
export interface Cluster extends Peers, BroadcastListener, AsyncDisposable {
  readonly bus: RoomBus
  readonly changes: Pick<Changes, 'on' | 'readAll'>
  /** The rooms that other servers are deleting, and the names of those who do. Rejects with `StorageError`. */
  closedRooms(): Promise<ReadonlyMap<RoomName, string>>
  /** Joins the others. Rejects with `StorageError`. */
  begin(events: ClusterEvents): Promise<void>
  /**
   * Tells the others what this server says of itself now, and compares it with them. Rejects with
   * `StorageError`.
   */
  update(): Promise<void>
}

/** What the rest of the server does for a cluster. None rejects with anything but `StorageError`. */
export interface ClusterEvents {
  /** Somebody came or went some time ago, when it could not be stored. Never rejects. */
  readonly onPresenceStored: (room: RoomName, change: PresenceChange) => Promise<void>
  /** Other servers have died, and what they were doing is to be ended. */
  readonly onExpired: (expired: ExpiredServers) => Promise<void>
  /** Another server began to differ: a sentence for the admins who are here. Never throws. */
  readonly onDifference: (sentence: string) => void
}

export interface ClusterParts {
  readonly stores: ClusterStores
  readonly wire: Wire
  readonly entries: Pick<EntryLog, 'read'>
  /** As they are now. */
  readonly facts: () => Promise<ServerFacts>
  /** The run of this server before, which has ended. */
  readonly earlier?: ServerId | undefined
  readonly clock: Clock & MonotonicClock & Alarm
  readonly log: Log
}

export function createCluster({ stores, wire, entries, clock, log, facts, earlier }: ClusterParts): Cluster {
  const { server, servers, changes, newestIn } = stores
  const { watch, changed } = createRoomWatchers()
  const { broadcast, onBroadcast } = createBroadcasts(stores, log)
  const bus = createRoomFeed({ server, wire, entries, newestIn, log })
  const presence = new RemotePresence({ ...stores, clock, changed })
  const own = new OwnPresence(stores.present, log, () => lease.doubt())
  const shared = { server, changes, clock, log, changed }
  const slots = new SharedSlots({ ...shared, work: stores.work, broadcasts: stores.broadcasts, broadcast })
  const questions = new SharedQuestions({ ...shared, questions: stores.questions })
  const { closings } = stores.people
  const differences = new Differences(server, servers, (sentence) => {
    log.warn({}, sentence)
    events?.onDifference(sentence)
  })
  let events: ClusterEvents | undefined
  let isOver = false
  const lease = new Lease({
    servers,
    facts,
    clock,
    log,
    onExpired: async (expired) => await events?.onExpired(expired),
    onLost: () => slots.loseAll(),
    async onRestored() {
      own.forgetStored()
      await changes.readAll()
    },
    onRenewed: () => void lookForDifferences(),
  })

  /** Keeps no renewal from its time. What cannot be read now is read with a later one. */
  async function lookForDifferences(): Promise<void> {
    try {
      if (!isOver) await differences.look()
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
    }
  }

  function everySecond(look: () => Promise<void>): void {
    clock.later(LOOK_MS, () => {
      if (!isOver) void look().finally(() => everySecond(look))
    })
  }

  return {
    peopleIn: (room) => presence.peopleIn(room),
    find: (id) => presence.find(id),
    findGuest: (name) => presence.findGuest(name),
    mayReturn: (room, id) => presence.mayReturn(room, id),
    rooms: () => presence.rooms(),
    serversOf: (quotaKey) => presence.serversOf(quotaKey),
    entered: (room, person) => own.entered(room, person),
    left(room, person) {
      presence.departed(room, person.id)
      return own.left(room, person)
    },
    broadcast,
    upToDate: () => changes.upToDate(),
    problems: () => [...(wire.isUp() ? [] : [BUS_AWAY]), ...differences.now()],
    watch,
    async closeRoom(room, by) {
      if (!(await closings.close(room, by))) return false
      for (let looks = 0; looks < CLOSING_LOOKS && (await closings.isUsedByOthers(room)); looks++)
        await new Promise<void>((resolve) => clock.later(CLOSING_LOOK_MS, resolve))
      return true
    },
    openRoom: (room) => closings.open(room),
    closedRooms: () => closings.closedByOthers(),
    slots,
    questions,
    bus,
    changes,
    onBroadcast,
    async update() {
      await lease.update()
      await differences.look()
    },
    async begin(theirs) {
      events = theirs
      onBroadcast('stop', async ({ id, reason }) => slots.stopOwn(id, reason))
      await lease.begin(earlier)
      await changes.begin()
      everySecond(() => bus.lookAtLog())
      everySecond(() => own.storeAgain(theirs.onPresenceStored))
    },
    async [Symbol.asyncDispose]() {
      isOver = true
      slots.end()
      await lease[Symbol.asyncDispose]()
      await changes[Symbol.asyncDispose]()
      await wire[Symbol.asyncDispose]()
    },
  }
}

function createRoomWatchers(): {
  readonly watch: Peers['watch']
  readonly changed: (room: RoomName) => void
} {
  const watchers = new Map<RoomName, Set<() => void>>()
  return {
    watch(room, changed) {
      const ofRoom = watchers.get(room) ?? new Set()
      watchers.set(room, ofRoom.add(changed))
      return () => {
        ofRoom.delete(changed)
        if (ofRoom.size === 0 && watchers.get(room) === ofRoom) watchers.delete(room)
      }
    },
    changed(room) {
      for (const watcher of watchers.get(room) ?? []) watcher()
    },
  }
}
