import { errorMessage } from '../../base/errors.ts'
import { createDeferred } from '../../base/jobs/waiting.ts'
import type { RoomName } from '../../words/entry.ts'
import { Refusal, StorageError } from '../../words/errors.ts'
import type { Person } from '../../words/person.ts'
import type { Room } from '../room.ts'
import { Acting, type ActResult } from './acting.ts'

/** `asked`: the owner must ask again. `file`: the room's log, as a path for an admin, else as a name. */
export type DeletionOutcome =
  | { readonly kind: 'asked' }
  | { readonly kind: 'removed'; readonly file: string; readonly isPath: boolean }

const ASKED_MS = 60_000
const REMOVED_AT_ONCE = 500

/** Archives, renames and deletes rooms. All methods throw `Refusal` and reject with `StorageError`. */
export class Closing extends Acting {
  readonly #asked = new Map<RoomName, Map<Person['id'], number>>()

  isArchived(room: RoomName): boolean {
    return this.parts.sanctions.isArchived(room)
  }

  /** Throws `Refusal` if the actor may not archive or reopen the room, or it already is in that state. */
  async assertMayArchive(room: Room, actor: Person, on: boolean): Promise<void> {
    await this.assertOwner(room, actor, 'archive')
    if (this.isArchived(room.name) === on)
      throw new Refusal(on ? `${room.name} is archived already` : `${room.name} is not archived`)
  }

  archive(room: Room, actor: Person, on: boolean): Promise<ActResult> {
    const { sanctions, clock, nextId, server } = this.parts
    const { name } = room
    return this.inTurn(actor, undefined, async () => {
      await this.assertMayArchive(room, actor, on)
      if (on) {
        await sanctions.put({
          id: nextId(),
          kind: 'archive',
          room: name,
          who: name,
          people: [],
          keys: [],
          network: null,
          reason: '',
          by: actor.name,
          at: clock.now(),
          until: null,
        })
        void server.stopWork({ room: name, why: `${name} was archived` })
      } else await sanctions.lift(sanctions.list(name).filter(({ kind }) => kind === 'archive'))
      const text = on
        ? `${actor.name} archived the room: it can be read, and nobody speaks in it any more; /archive off opens it again`
        : `${actor.name} opened the room again`
      const act = { verb: on ? 'archive' : 'unarchive', who: name } as const
      return await this.announceDone(room, actor, text, act)
    })
  }

  /** Writes the log to a file, deletes the room. Unless `isSure`, the person must ask twice in a minute. */
  async remove(room: Room, actor: Person, isSure: boolean): Promise<DeletionOutcome> {
    this.assertInGoodStanding(actor)
    await this.assertOwner(room, actor, 'delete')
    if (!isSure && !this.#isSecond(room.name, actor)) return { kind: 'asked' }
    this.#assertOpen(room.name)
    this.#asked.delete(room.name)
    const isPath = (await room.roleOf(actor)) === 'admin'
    const file = await this.#remove(room, actor)
    return { kind: 'removed', file: isPath ? file : nameOf(file), isPath }
  }

  /** Renames a room and stops its work. Removes agents and people on other servers; moves all others. */
  async rename(room: Room, actor: Person, wanted: string): Promise<ActResult> {
    const { clients } = this.parts
    this.assertInGoodStanding(actor)
    await this.assertOwner(room, actor, 'rename')
    const name = await this.parts.rooms.newName(room, wanted, actor)
    this.#assertOpen(room.name)
    const next = createDeferred<Room>()
    const news = `${actor.name} renamed ${room.name} to ${name}; join ${name}`
    const out = (): Promise<void> => clients.follow(room.name, news, next.promise)
    try {
      return await this.#whileClosed(room, { done: 'renamed', news, out }, async () => {
        const renamed = await this.#renameStored(room.name, name)
        const text = `${actor.name} renamed the room: ${room.name} is ${name} now`
        const result = await this.announceDone(renamed, actor, text, { verb: 'rename-room', who: name })
        next.resolve(renamed)
        return result
      })
    } finally {
      // If the room was not renamed, all sessions go back.
      next.resolve(room)
    }
  }

  async #renameStored(from: RoomName, to: RoomName): Promise<Room> {
    const { sanctions, server, stores, rooms } = this.parts
    // Keeps banned people out until the bans under the new name are read.
    sanctions.close(to)
    try {
      await server.moveRoom(from, to)
      const done = await stores.rooms.rename(from, to).catch(async (error: unknown) => {
        await server.moveRoom(to, from)
        throw error
      })
      if (done !== 'renamed') {
        await server.moveRoom(to, from)
        throw new Refusal(done === 'full' ? 'it had eight other names, which is the limit' : `${to} is taken`)
      }
      await sanctions.readAgain()
      sanctions.removed(from)
      const renamed = await rooms.anyRoom(to)
      if (!renamed) throw new StorageError('corrupt', `the room ${to} is not in the database`)
      return renamed
    } finally {
      sanctions.reopen(to)
    }
  }

  #assertOpen(room: RoomName): void {
    if (this.parts.sanctions.isGone(room)) throw new Refusal(`${room} is being deleted or renamed already`)
  }

  #isSecond(room: RoomName, { id }: Person): boolean {
    const now = this.parts.clock.monotonic()
    const ofRoom = this.#asked.get(room) ?? new Map<Person['id'], number>()
    const first = ofRoom.get(id)
    this.#asked.set(room, ofRoom.set(id, now))
    return first !== undefined && now - first < ASKED_MS
  }

  async #remove(room: Room, actor: Person): Promise<string> {
    const { sanctions, clients, server, rooms, log } = this.parts
    const { private: isPrivate, owner } = await room.info()
    const act = { verb: 'delete', who: room.name } as const
    await this.announce(room, actor, `${actor.name} deleted the room`, act)
    const news = `${actor.name} deleted ${room.name}`
    const out = (): Promise<void> => clients.leave(room.name, () => true, news)
    return await this.#whileClosed(room, { done: 'deleted', news, out }, async () => {
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
    })
  }

  /** Closes a room, stops its work, removes everybody, runs `work`. A failure leaves the room as it was. */
  async #whileClosed<T>(
    room: Room,
    { done, news, out }: { readonly done: string; readonly news: string; out(): Promise<void> },
    work: () => Promise<T>,
  ): Promise<T> {
    const { sanctions, server, peers, log } = this.parts
    sanctions.close(room.name)
    try {
      if (!(await peers.closeRoom(room.name, news))) throw new Refusal('another server is closing it')
      await server.stopWork({ room: room.name, why: news })
      await out()
      await room.flushPresence()
      return await work()
    } catch (error) {
      sanctions.reopen(room.name)
      log.error({ error, room: room.name }, `a room could not be ${done}`)
      if (error instanceof StorageError) throw error
      throw new Refusal(`${room.name} was not ${done}: ${errorMessage(error)}`)
    } finally {
      await peers
        .openRoom(room.name)
        .catch((error: unknown) =>
          log.error({ error, room: room.name }, 'could not open a room again for the other servers'),
        )
    }
  }

  async #removeStored(room: RoomName): Promise<void> {
    const { removal } = this.parts.stores
    const removeLog = async (): Promise<void> => {
      while (await removal.removeSome(room, REMOVED_AT_ONCE));
    }
    await removeLog()
    await removal.remove(room)
    // Removes entries that were recorded meanwhile, such as those of a hook that failed.
    await removeLog()
  }
}

const nameOf = (path: string): string => path.replace(/^.*[/\\]/, '')
