import { errorMessage } from '../../lib/errors.ts'
import type { RoomName } from '../entry.ts'
import { Refusal, StorageError } from '../errors.ts'
import { LOBBY } from '../people/names.ts'
import type { Person } from '../people/person.ts'
import type { Room } from '../room.ts'
import { Acting, type ActResult } from './moderation.ts'

/**
 * `asked`: the owner has to ask again. `file` has the room's log: its path for an admin, its name for others.
 */
export type Removed =
  | { readonly kind: 'asked' }
  | { readonly kind: 'removed'; readonly file: string; readonly isPath: boolean }

const ASKED_MS = 60_000
const REMOVED_AT_ONCE = 500

/** Archives and deletes rooms. All methods throw `Refusal` and reject with `StorageError`. */
export class Closing extends Acting {
  readonly #asked = new Map<RoomName, Map<Person['id'], number>>()

  isArchived(room: RoomName): boolean {
    return this.parts.sanctions.isArchived(room)
  }

  archive(room: Room, actor: Person, on: boolean): Promise<ActResult> {
    const { sanctions, clock, nextId, server } = this.parts
    const { name } = room
    return this.inTurn(actor, undefined, async () => {
      await this.#assertOwner(room, actor, 'archive')
      if (sanctions.isArchived(name) === on)
        throw new Refusal(on ? `${name} is archived already` : `${name} is not archived`)
      if (on) {
        await sanctions.put({
          ...{ id: nextId(), kind: 'archive', room: name, who: name, people: [], keys: [], network: null },
          ...{ reason: '', by: actor.name, at: clock.now(), until: null },
        })
        void server.stopWork({ room: name, why: `${name} was archived` })
      } else await sanctions.lift(sanctions.list(name).filter(({ kind }) => kind === 'archive'))
      const text = on
        ? `${actor.name} archived the room: it can be read, and nobody speaks in it any more`
        : `${actor.name} opened the room again`
      const act = { verb: on ? 'archive' : 'unarchive', who: name } as const
      return await this.announceDone(room, actor, text, act)
    })
  }

  /**
   * Writes a room's log into a file and deletes the room, once the same person asks for the second time:
   * within a minute, or with the room's `name`.
   */
  async remove(room: Room, actor: Person, name: string | undefined): Promise<Removed> {
    const { sanctions } = this.parts
    this.assertInGoodStanding(actor)
    await this.#assertOwner(room, actor, 'delete')
    if (!this.#isSecond(room.name, actor, name !== undefined)) return { kind: 'asked' }
    if (sanctions.isGone(room.name)) throw new Refusal(`${room.name} is being deleted already`)
    this.#asked.delete(room.name)
    const isPath = (await room.roleOf(actor)) === 'admin'
    const file = await this.#remove(room, actor)
    return { kind: 'removed', file: isPath ? file : nameOf(file), isPath }
  }

  async #assertOwner(room: Room, actor: Person, what: string): Promise<void> {
    if (room.name === LOBBY) throw new Refusal(`the lobby is everybody's; nobody can ${what} it`)
    const role = await room.roleOf(actor)
    if (role === 'admin' || role === 'owner') return
    throw new Refusal(`only the owner of ${room.name} or an admin can ${what} it`)
  }

  #isSecond(room: RoomName, { id }: Person, isNamed: boolean): boolean {
    const now = this.parts.clock.monotonic()
    const ofRoom = this.#asked.get(room) ?? new Map<Person['id'], number>()
    const first = ofRoom.get(id)
    this.#asked.set(room, ofRoom.set(id, now))
    return first !== undefined && (isNamed || now - first < ASKED_MS)
  }

  /** Nobody gets in or speaks any more before anything is removed. What fails leaves the room as it was. */
  async #remove(room: Room, actor: Person): Promise<string> {
    const { sanctions, clients, server, peers, rooms, log } = this.parts
    const { private: isPrivate, owner } = await room.info()
    const act = { verb: 'delete', who: room.name } as const
    await this.announce(room, actor, `${actor.name} deleted the room`, act)
    sanctions.close(room.name)
    try {
      if (!(await peers.closeRoom(room.name, actor.name))) throw new Refusal('another server is deleting it')
      await server.stopWork({ room: room.name, why: `${room.name} is being deleted` })
      await clients.leave(room.name, () => true, `${actor.name} deleted ${room.name}`)
      await room.flushPresence()
      const file = await server.keepRoom(room.name)
      await this.#removeStored(room.name)
      sanctions.removed(room.name)
      const where = `all that was said in ${room.name} is in ${nameOf(file)}; an admin finds it in the server's exports directory`
      if (owner !== null && owner !== actor.id)
        void clients.everywhere({ act: 'tell', whom: { people: [owner], keys: [] }, text: where })
      log.info({ room: room.name, by: actor.name, file }, 'a room was deleted')
      if (!isPrivate)
        await this.announce(await rooms.lobby(), actor, `${actor.name} deleted the room ${room.name}`, act)
      return file
    } catch (error) {
      sanctions.reopen(room.name)
      log.error({ error, room: room.name }, 'a room could not be deleted')
      if (error instanceof StorageError) throw error
      throw new Refusal(`${room.name} was not deleted: ${errorMessage(error)}`)
    } finally {
      await peers
        .openRoom(room.name)
        .catch((error: unknown) => log.error({ error, room: room.name }, 'a room stays closed'))
    }
  }

  async #removeStored(room: RoomName): Promise<void> {
    const { removal } = this.parts.stores
    const removeLog = async (): Promise<void> => {
      while (await removal.removeSome(room, REMOVED_AT_ONCE));
    }
    await removeLog()
    await removal.remove(room)
    // What was recorded while the rest was removed, such as a hook that failed.
    await removeLog()
  }
}

const nameOf = (path: string): string => path.replace(/^.*[/\\]/, '')
