import { duration } from '../../lib/duration.ts'
import type { RoomName } from '../entry.ts'
import { Refusal, StorageError } from '../errors.ts'
import type { Fingerprint, Person } from '../people/person.ts'
import type { Clock, Log, MonotonicClock, PeopleStore, RoomStore } from '../ports.ts'
import type { Peers } from '../peers.ts'
import type { Room } from '../room.ts'
import type { Rooms } from '../rooms.ts'
import type { RoomRemoval, SanctionStore } from './ports.ts'
import type { ModerationAct } from './act.ts'
import type { Sanctions } from './sanctions.ts'
import type { ClientsEverywhere, OpenClients } from './clients.ts'

/** What the acts of moderation are made from. */
export interface ModerationParts {
  readonly rooms: Pick<Rooms, 'lobby' | 'get' | 'anyRoom'>
  readonly stores: {
    readonly rooms: RoomStore
    readonly people: PeopleStore
    readonly sanctions: Pick<SanctionStore, 'linked'>
    readonly removal: RoomRemoval
  }
  readonly sanctions: Sanctions
  readonly clients: OpenClients & { readonly everywhere: ClientsEverywhere }
  readonly server: ServerForModeration
  readonly peers: Pick<Peers, 'closeRoom' | 'openRoom'>
  readonly clock: Clock & MonotonicClock
  readonly nextId: () => string
  readonly log: Log
}

/** Which work is stopped. */
export interface StoppedWork {
  /** Null for all rooms. */
  readonly room: RoomName | null
  /** The names of the people for whom it is done; absent for all. */
  readonly names?: ReadonlySet<string>
  readonly why: string
}

/** What moderation needs of the rest of the server. */
export interface ServerForModeration {
  /**
   * Stops the models and tools that work for some people, on all servers, and tells why. Resolves when they have ended. Never
   * rejects.
   */
  stopWork(work: StoppedWork): Promise<void>
  /** Writes all that was said in a room into a new file, and puts its files beside it. Resolves to the file's path. */
  keepRoom(room: RoomName): Promise<string>
  /** As `People.guestKey`. */
  guestKey(name: string): Fingerprint | undefined
  /** Whether a key is one of an admin by the config, which no act reaches. */
  isConfigAdmin(key: Fingerprint): boolean
}

/** What an act was told as, and in which room. */
export interface Told {
  readonly room: RoomName
  readonly text: string
}

/** Records an act, which all in the room see, and logs it. Rejects with `StorageError`. */
export async function tell(
  room: Room,
  actor: Person,
  told: { readonly text: string; readonly act: ModerationAct },
  log: Log,
): Promise<Told> {
  await room.record({ kind: 'notice', level: 'info', author: actor.name, ...told })
  log.info({ room: room.name, by: actor.name, ...told.act }, 'moderation')
  return { room: room.name, text: told.text }
}

/**
 * The same for an act that holds already. Rejects with `Refusal` only, in words that say so: whoever reads that nothing was stored
 * takes it for undone.
 */
export async function tellInForce(...[room, actor, told, log]: Parameters<typeof tell>): Promise<Told> {
  try {
    return await tell(room, actor, told, log)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    log.error(
      { error, room: room.name, by: actor.name, ...told.act },
      'moderation that the room was not told',
    )
    throw new Refusal(`${told.text}; that holds, but ${room.name} could not be told: ${error.message}`)
  }
}

/** Throws `Refusal` where the actor was put out, or may not speak in the room, by now. */
export function needStanding({ sanctions }: ModerationParts, actor: Person, room?: Room): void {
  const why = sanctions.whyOut(actor) ?? (room && sanctions.whyMuted(room.name, actor))
  if (why !== undefined) throw new Refusal(why)
}

/** ` for 2h`, or nothing where it lasts. */
export const forHowLong = (ms: number | undefined): string => (ms === undefined ? '' : ` for ${duration(ms)}`)

/** `: spam`, or nothing where no reason was given. */
export const becauseOf = (reason: string): string => (reason === '' ? '' : `: ${reason}`)

/** The optional facts of an act. */
export const actFacts = (
  reason: string,
  until: number | null = null,
): Pick<ModerationAct, 'until' | 'reason'> => ({
  ...(until === null ? {} : { until: new Date(until).toISOString() }),
  ...(reason === '' ? {} : { reason }),
})
