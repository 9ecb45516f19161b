import type { Alarm, Clock, Log, MonotonicClock } from '../../base/environment.ts'
import type { Serial } from '../../base/jobs/serial.ts'
import type { ModerationAct, RoomName } from '../../words/entry.ts'
import { Refusal, StorageError } from '../../words/errors.ts'
import type { Peers } from '../peers.ts'
import { LOBBY } from '../../words/names.ts'
import type { Person } from '../../words/person.ts'
import type { PeopleStore, RoomStore } from '../ports.ts'
import type { Room } from '../room.ts'
import type { Rooms } from '../rooms.ts'
import type { Clients } from './clients.ts'
import type { RetentionStore, RoomRemoval, ServerForModeration } from './ports.ts'
import type { Sanctions } from './sanctions.ts'

export interface ModerationParts {
  readonly rooms: Pick<Rooms, 'lobby' | 'get' | 'anyRoom' | 'assertMayOwnMore' | 'newName'>
  readonly stores: {
    readonly rooms: RoomStore
    readonly people: PeopleStore
    readonly removal: RoomRemoval
    readonly retention: RetentionStore
  }
  readonly sanctions: Sanctions
  readonly clients: Clients
  readonly server: ServerForModeration
  readonly peers: Pick<Peers, 'closeRoom' | 'openRoom'>
  readonly clock: Clock & MonotonicClock & Alarm
  readonly nextId: () => string
  readonly log: Log
  /** Runs one act at a time, so that of two people who ban each other only one is banned. */
  readonly serial: Serial
}

/** The sentence that announced an act, and the room of the announcement. */
export interface ActResult {
  readonly room: RoomName
  readonly text: string
}

/** The base of the classes that run and announce acts of moderation. */
export abstract class Acting {
  protected readonly parts: ModerationParts

  constructor(parts: ModerationParts) {
    this.parts = parts
  }

  /** Runs an act after all earlier ones, if its actor is in good standing then. */
  protected inTurn<T>(actor: Person, room: Room | undefined, act: () => Promise<T>): Promise<T> {
    return this.parts.serial(async () => {
      this.assertInGoodStanding(actor, room)
      return await act()
    })
  }

  /** Throws `Refusal` if the actor is banned from the server, or muted in the room. */
  protected assertInGoodStanding(actor: Person, room?: Room): void {
    const { sanctions } = this.parts
    const why = sanctions.whyOut(actor) ?? (room && sanctions.whyMuted(room.name, actor))
    if (why !== undefined) throw new Refusal(why)
  }

  /** Throws `Refusal` unless the actor is the room's owner or an admin; for the lobby always. */
  protected async assertOwner(room: Room, actor: Person, what: string): Promise<void> {
    if (room.name === LOBBY) throw new Refusal(`the lobby is everybody's; nobody can ${what} it`)
    const role = await room.roleOf(actor)
    if (role === 'admin' || role === 'owner') return
    throw new Refusal(`only the owner of ${room.name} or an admin can ${what} it`)
  }

  /** Records an act in the room, and logs it. Rejects with `StorageError`. */
  protected async announce(room: Room, actor: Person, text: string, act: ModerationAct): Promise<ActResult> {
    await room.record({ kind: 'notice', level: 'info', author: actor.name, text, act })
    this.parts.log.info({ room: room.name, by: actor.name, ...act }, 'moderation')
    return { room: room.name, text }
  }

  /** Announces a done act. Rejects with `Refusal` only: a `StorageError` would suggest that it failed. */
  protected async announceDone(
    ...[room, actor, text, act]: Parameters<Acting['announce']>
  ): Promise<ActResult> {
    try {
      return await this.announce(room, actor, text, act)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      const facts = { error, room: room.name, by: actor.name, ...act }
      this.parts.log.error(facts, 'could not announce a moderation act in its room')
      throw new Refusal(`${text}; this is in force, but ${room.name} could not be notified: ${error.message}`)
    }
  }
}
