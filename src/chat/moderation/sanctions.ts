import { duration } from '../../lib/duration.ts'
import { createSerial } from '../../lib/jobs/serial.ts'
import { addressBits } from '../../lib/network.ts'
import type { RoomName } from '../entry.ts'
import { Refusal } from '../errors.ts'
import type { Fingerprint, Person, PersonId } from '../people/person.ts'
import type { Clock } from '../ports.ts'
import type { Sanction, SanctionStore } from './ports.ts'
import { createSanctionIndex } from './sanction-index.ts'

/** Who asks to come in. */
export interface LoginAttempt {
  readonly key: Fingerprint
  /** All who have the key. */
  readonly holders: readonly PersonId[]
  /** Those of them who came in with this key before any other: whoever added it to theirs is not among them. */
  readonly founders: readonly PersonId[]
  readonly address: string
}

/** Everything that somebody may not do. All that is asked is answered from memory, and what is over does not count. */
export interface Sanctions {
  /** Whether a login is barred from the server. What it tells of a key is remembered: the key counts as its people do. */
  barsLogin(attempt: LoginAttempt): boolean
  /** Why somebody who came in may not stay on the server; undefined if they may. */
  whyOut(person: Person): string | undefined
  /** Why somebody may not be in a room. No ban holds its owner and admins: whoever asks knows who they are. */
  whyOutOf(room: RoomName, person: Person): string | undefined
  /** Why somebody may not speak in a room: nothing that they do there may become an entry, or ask a model. */
  whySilent(room: RoomName, person: Pick<Person, 'id' | 'login'>): string | undefined
  /** Why this person, and not everybody in the room, may not speak there. */
  whyMuted(room: RoomName, person: Pick<Person, 'id' | 'login'>): string | undefined
  isArchived(room: RoomName): boolean
  /** True from the moment at which a room is being deleted. */
  isGone(room: RoomName): boolean
  /** Those of a room, or of the whole server, in order of time. */
  list(room: RoomName | null): readonly Sanction[]
  /** Stores one in place of others, and it holds from then on. Rejects with `Refusal` where there are too many, and `StorageError`. */
  put(sanction: Sanction, replaced?: readonly Sanction[]): Promise<void>
  /** Rejects with `StorageError`. */
  lift(lifted: readonly Sanction[]): Promise<void>
  /** Nobody gets into this room from now on. Returns what undoes it; after `removed` its name is free again. */
  close(room: RoomName): { undo(): void; removed(): void }
  /** Reads what is stored, which another server may have changed. Resolves to what is new to this one. Rejects with `StorageError`. */
  readAgain(): Promise<readonly Sanction[]>
  /** These are all the rooms that other servers are deleting. */
  closedByPeers(rooms: ReadonlySet<RoomName>): void
}

/** Bans and mutes of one room, or of the server. */
const MAX_IN_ONE_PLACE = 1_000

/** Reads what is stored. `isKept` tells keys that no ban holds: those of the config's admins. Rejects with `StorageError`. */
export async function loadSanctions(
  store: Pick<SanctionStore, 'all' | 'put' | 'remove'>,
  clock: Clock,
  isKept: (key: Fingerprint) => boolean = () => false,
): Promise<Sanctions> {
  const index = createSanctionIndex(await store.all())
  const gone = new Set<RoomName>()
  let closedByPeers: ReadonlySet<RoomName> = new Set()
  /** What is read must not be older than what was written meanwhile. */
  const oneByOne = createSerial()

  const isGone = (room: RoomName): boolean => gone.has(room) || closedByPeers.has(room)

  const holds = ({ until }: Sanction): boolean => until === null || until > clock.now()

  const isServerBan = (one: Sanction): boolean => one.kind === 'ban' && one.room === null && holds(one)

  /** The first that holds, of this kind and place. */
  function find(
    kind: Sanction['kind'],
    room: RoomName | null,
    { id, login }: Pick<Person, 'id' | 'login'>,
  ): Sanction | undefined {
    if (login && isKept(login.key)) return undefined
    const found = index.concerning([id], login?.key, () => login && addressBits(login.network))
    return found.find((one) => one.kind === kind && one.room === room && holds(one))
  }

  function whyMuted(room: RoomName, person: Pick<Person, 'id' | 'login'>): string | undefined {
    const mute = find('mute', room, person)
    return mute && `you are muted in ${room} ${howLong(mute, clock)}: you may read, and not speak`
  }

  /** Whoever owns a room could fill the memory otherwise. */
  function refuseIfFull({ room }: Sanction, away: readonly Sanction[]): void {
    const left = index.all().filter((one) => one.room === room && !away.includes(one))
    if (left.length < MAX_IN_ONE_PLACE) return
    throw new Refusal(
      `there are ${MAX_IN_ONE_PLACE} bans and mutes ${room === null ? 'on the server' : `in ${room}`}, which is the limit; lift some`,
    )
  }

  async function put(sanction: Sanction, replaced: readonly Sanction[]): Promise<void> {
    const over = index.all().filter((one) => !holds(one))
    const away = [...replaced, ...over]
    refuseIfFull(sanction, away)
    await store.put(
      sanction,
      away.map(({ id }) => id),
    )
    for (const one of away) index.remove(one)
    index.add(sanction)
  }

  /** What did not change stays, with all that was learned of its keys. */
  async function readAgain(): Promise<readonly Sanction[]> {
    const stored = await store.all()
    const [known, kept] = [index.all(), new Set(stored.map(({ id }) => id))]
    for (const one of known) if (!kept.has(one.id)) index.remove(one)
    const ids = new Set(known.map(({ id }) => id))
    const added = stored.filter(({ id }) => !ids.has(id))
    for (const one of added) index.add(one)
    return added
  }

  return {
    barsLogin({ key, holders, founders, address }) {
      if (isKept(key)) return false
      const ofPeople = index.concerning(holders, undefined, () => undefined)
      for (const sanction of ofPeople) index.learn(sanction, key, founders)
      // Somebody who added a key that a room keeps out is not its owner by that: their other keys stay theirs.
      const ofKey = index.concerning([], key, () => undefined)
      for (const sanction of ofKey) if (sanction.room !== null) index.learn(sanction, key, founders)
      return index.concerning(holders, key, () => addressBits(address)).some(isServerBan)
    },
    whyOut(person) {
      const ban = find('ban', null, person)
      return ban && `you are banned from this server ${howLong(ban, clock)}${because(ban)}`
    },
    whyOutOf(room, person) {
      if (isGone(room)) return `${room} is being deleted`
      const ban = find('ban', room, person)
      return ban && `you are banned from ${room} ${howLong(ban, clock)}${because(ban)}`
    },
    whyMuted,
    whySilent(room, person) {
      if (isGone(room)) return `${room} is being deleted`
      if (index.isEmpty()) return undefined
      return index.archiveOf(room) ? archived(room) : whyMuted(room, person)
    },
    isArchived: (room) => index.archiveOf(room) !== undefined,
    isGone,
    list: (room) => index.all().filter((one) => one.room === room && holds(one)),
    put: (sanction, replaced = []) => oneByOne(() => put(sanction, replaced)),
    lift: (lifted) =>
      oneByOne(async () => {
        await store.remove(lifted.map(({ id }) => id))
        for (const one of lifted) index.remove(one)
      }),
    readAgain: () => oneByOne(readAgain),
    closedByPeers: (rooms) => void (closedByPeers = rooms),
    close(room) {
      gone.add(room)
      return {
        undo: () => void gone.delete(room),
        removed() {
          for (const one of index.all().filter((each) => each.room === room)) index.remove(one)
          gone.delete(room)
        },
      }
    },
  }
}

const archived = (room: RoomName): string =>
  `${room} is archived: it can be read, and nobody speaks in it; its owner can open it again: archive off`

/** `for 9m 30s more`, or `until somebody lifts it`. */
const howLong = ({ until }: Sanction, clock: Clock): string =>
  until === null ? 'until that is undone' : `for ${duration(Math.max(1_000, until - clock.now()))} more`

const because = ({ reason }: Sanction): string => (reason === '' ? '' : `: ${reason}`)
