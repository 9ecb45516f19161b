import type { RoomName } from '../words/entry.ts'
import { StorageError, ignoreStorageError } from '../words/errors.ts'
import type { Broadcasts, Peers, EntryLog } from '../chat/index.ts'
import type { PresenceChange } from '../chat/presence/index.ts'
import type { Alarm, Clock, Log, MonotonicClock } from '../base/environment.ts'
import { Lease } from './lease.ts'
import { OwnPresence, RemotePresence } from './presence.ts'
import { SharedQuestions } from './questions.ts'
import { createRoomFeed } from './room-feed.ts'
import type { BroadcastRow, ClusterStores, ExpiredServers, ServerFacts, ServerId, Wire } from './stores.ts'
import { SharedSlots } from './work.ts'

/** Milliseconds between polls of the log, and between attempts to store presence. */
const POLL_MS = 1_000

const BUS_AWAY =
  'the bus between the servers is down: lines of other servers come up to a second later; the log says why'

/** What the rest of the server does for a cluster. Promises reject only with `StorageError`. */
export interface ClusterEvents {
  /** Announces an arrival or departure that could not be stored at its time. Never rejects. */
  readonly onPresenceStored: (room: RoomName, change: PresenceChange) => Promise<void>
  /** Ends the activities of dead servers. */
  readonly onExpired: (expired: ExpiredServers) => Promise<void>
  /** Reports another server's new difference, in a sentence for this server's admins. Never throws. */
  readonly onDifference: (sentence: string) => void
}

export interface ClusterParts {
  readonly stores: ClusterStores
  readonly wire: Wire
  readonly entries: Pick<EntryLog, 'read'>
  readonly facts: () => Promise<ServerFacts>
  /** This server's previous run, which has ended. */
  readonly earlier?: ServerId | undefined
  readonly clock: Clock & MonotonicClock & Alarm
  readonly log: Log
}

/** This server among several. Disposing of it ends its lease, then the wire. */
export type Cluster = ReturnType<typeof createCluster>

export function createCluster({ stores, wire, entries, clock, log, facts, earlier }: ClusterParts) {
  const { server, servers, changes, closings } = stores
  const { watch, changed } = createRoomWatchers()
  const { broadcast, onBroadcast } = createBroadcasts(stores, log)
  const bus = createRoomFeed({ server, wire, entries, newestIn: stores.newestIn, log })
  const presence = new RemotePresence({ ...stores, clock, changed })
  const own = new OwnPresence(stores.present, log, () => lease.doubt())
  const slots = new SharedSlots({ ...stores, clock, log, changed })
  const questions = new SharedQuestions({ ...stores, clock, log, changed })
  const differences = new Differences(stores, (sentence) => {
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
    onRenewed: () => void differences.look(),
  })

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
    onBroadcast,
    upToDate: () => changes.upToDate(),
    problems: () => [...(wire.isUp() ? [] : [BUS_AWAY]), ...differences.now()],
    watch,
    closeRoom: (room, by) => closeRoom(room, by, stores, clock),
    openRoom: (room) => closings.open(room),
    /** Resolves to rooms closed by other servers, with a reason. Rejects with `StorageError`. */
    closedRooms: () => closings.closedByOthers(),
    slots,
    questions,
    bus,
    changes,
    /** Stores this server's current facts and compares them with the others'. Rejects with `StorageError`. */
    async update(): Promise<void> {
      await lease.update()
      await differences.look()
    },
    /** Joins the other servers. Rejects with `StorageError`. */
    async begin(theirs: ClusterEvents): Promise<void> {
      events = theirs
      onBroadcast('stop', async ({ id, reason }) => slots.stopOwn(id, reason))
      await lease.begin(earlier)
      await changes.begin()
      const polls = [() => bus.pollLog(), () => own.storeAgain(theirs.onPresenceStored)]
      for (const poll of polls) everySecond(clock, () => isOver, poll)
    },
    async [Symbol.asyncDispose]() {
      isOver = true
      slots.end()
      await lease[Symbol.asyncDispose]()
      await changes[Symbol.asyncDispose]()
      await wire[Symbol.asyncDispose]()
    },
  } satisfies Peers & Record<PropertyKey, unknown>
}

function everySecond(clock: Alarm, isOver: () => boolean, poll: () => Promise<void>): void {
  clock.later(POLL_MS, () => {
    if (!isOver()) void poll().finally(() => everySecond(clock, isOver, poll))
  })
}

/** Milliseconds between polls for users of a closed room. */
const CLOSING_POLL_MS = 50
/** Polls after which a closed room counts as unused. */
const MAX_CLOSING_POLLS = 200

async function closeRoom(
  room: RoomName,
  by: string,
  { closings }: Pick<ClusterStores, 'closings'>,
  clock: Alarm,
): Promise<boolean> {
  if (!(await closings.close(room, by))) return false
  for (let polls = 0; polls < MAX_CLOSING_POLLS && (await closings.isUsedByOthers(room)); polls++)
    await new Promise<void>((resolve) => clock.later(CLOSING_POLL_MS, resolve))
  return true
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

/** Handles another server's broadcast. Called again if it rejects with `StorageError`. */
type Perform<Kind extends keyof Broadcasts> = (data: Broadcasts[Kind]) => Promise<void>

/** Broadcasts are stored, so that a disconnected server handles each later, once. */
export function createBroadcasts(
  { broadcasts, changes }: Pick<ClusterStores, 'broadcasts' | 'changes'>,
  log: Pick<Log, 'error'>,
) {
  const performers = new Map<keyof Broadcasts, (data: never) => Promise<void>>()
  /** IDs of handled broadcasts that may be read again. */
  let done: Set<string> | undefined

  changes.on('broadcasts', async (keys: readonly string[] | 'all') => {
    const ids = keys === 'all' ? await broadcasts.ids() : keys
    // This server ignores broadcasts sent before its start.
    const performed = (done ??= new Set(ids))
    const fresh = ids.filter((id) => !performed.has(id))
    for (const { id, kind, data } of fresh.length > 0 ? await broadcasts.read(fresh) : []) {
      await performers.get(kind)?.(data as never)
      performed.add(id)
    }
    if (keys === 'all') done = new Set(ids)
  })
  return {
    async broadcast<Kind extends keyof Broadcasts>(kind: Kind, data: Broadcasts[Kind]): Promise<void> {
      try {
        await broadcasts.send({ kind, data } as BroadcastRow)
      } catch (error) {
        if (!(error instanceof StorageError)) throw error
        log.error({ error, kind }, 'could not send a broadcast to the other servers')
      }
    },
    onBroadcast<Kind extends keyof Broadcasts>(kind: Kind, perform: Perform<Kind>): void {
      performers.set(kind, perform)
    },
  }
}

/** The servers of the database whose version or config differs from this one's. */
export class Differences {
  readonly #stores: DifferenceStores
  readonly #found: (sentence: string) => void
  #sentences: ReadonlyMap<ServerId, string> = new Map()
  #comparing: Promise<void> | undefined

  /** Calls `found` once for each server that begins to differ. */
  constructor(stores: DifferenceStores, found: (sentence: string) => void) {
    this.#stores = stores
    this.#found = found
  }

  /** Returns a sentence for each server that differs. */
  now(): readonly string[] {
    return [...this.#sentences.values()]
  }

  /** Compares again; changes nothing if the database cannot be read. */
  look(): Promise<void> {
    this.#comparing ??= this.#compare().finally(() => (this.#comparing = undefined))
    return this.#comparing
  }

  async #compare(): Promise<void> {
    const { server, servers } = this.#stores
    const all = await servers.alive().catch(ignoreStorageError)
    const own = all?.find(({ id }) => id === server)
    if (!all || !own) return
    const before = this.#sentences
    this.#sentences = new Map(
      all
        .filter(({ version, config }) => version !== own.version || config !== own.config)
        .map(({ id, name }) => [id, `the server ${name} runs another version or config`]),
    )
    for (const [id, sentence] of this.#sentences) if (!before.has(id)) this.#found(sentence)
  }
}

interface DifferenceStores {
  readonly server: ServerId
  readonly servers: Pick<ClusterStores['servers'], 'alive'>
}
