import type { RoomName } from '../entry.ts'
import { errorMessage } from '../../lib/errors.ts'
import { Refusal, StorageError } from '../errors.ts'
import { LOBBY } from '../people/names.ts'
import type { Person } from '../people/person.ts'
import type { Room } from '../room.ts'
import { needStanding, tell, tellInForce, type ModerationParts, type Told } from './parts.ts'

/** The end of a room. All of it throws `Refusal` and rejects with `StorageError`. */
export interface Closing {
  /** Whether a room can be read, and nobody speaks in it. */
  isArchived(room: RoomName): boolean
  /** From now on the room can be read, and nobody speaks in it; or the other way round. */
  archive(room: Room, actor: Person, on: boolean): Promise<Told>
  /**
   * Deletes a room with all that was said in it, after that was written into a file: once the same person asks for it the
   * second time, within a minute or with the room's name. The first time it resolves to a question.
   */
  remove(room: Room, actor: Person, name: string | undefined): Promise<Removed>
}

/**
 * What came of asking for a room's end: `file` has all that was said. It is a path for an admin, and for others a name, since
 * where the server keeps its data is nobody else's to know.
 */
export type Removed =
  | { readonly kind: 'asked' }
  | { readonly kind: 'removed'; readonly file: string; readonly isPath: boolean }

/** How long a first request counts without the room's name. */
const ASKED_MS = 60_000

/** Entries that one transaction removes: some milliseconds of work. */
const REMOVED_AT_ONCE = 500

export function createClosing(parts: ModerationParts): Closing {
  const { sanctions, clock, log } = parts
  const asked = createRequests(clock)

  return {
    isArchived: (room) => sanctions.isArchived(room),
    async archive(room, actor, on) {
      await needOwner(room, actor, 'archive', parts)
      const { name } = room
      if (sanctions.isArchived(name) === on)
        throw new Refusal(on ? `${name} is archived already` : `${name} is not archived`)
      const at = clock.now()
      const facts = {
        id: parts.nextId(),
        kind: 'archive',
        room: name,
        who: name,
        by: actor.name,
        at,
      } as const
      if (on) await sanctions.put({ ...facts, people: [], keys: [], network: null, reason: '', until: null })
      else await sanctions.lift(sanctions.list(name).filter(({ kind }) => kind === 'archive'))
      if (on) void parts.server.stopWork({ room: name, why: `${name} was archived` })
      const text = on
        ? `${actor.name} archived the room: it can be read, and nobody speaks in it any more`
        : `${actor.name} opened the room again`
      const act = { verb: on ? 'archive' : 'unarchive', who: name } as const
      return await tellInForce(room, actor, { text, act }, log)
    },
    async remove(room, actor, name) {
      await needOwner(room, actor, 'delete', parts)
      if (!asked.isSecond(room.name, actor, name !== undefined)) return { kind: 'asked' }
      if (sanctions.isGone(room.name)) throw new Refusal(`${room.name} is being deleted already`)
      asked.forget(room.name)
      const isPath = (await room.roleOf(actor)) === 'admin'
      const file = await removeRoom(room, actor, parts)
      return { kind: 'removed', file: isPath ? file : nameOf(file), isPath }
    },
  }
}

async function needOwner(room: Room, actor: Person, what: string, parts: ModerationParts): Promise<void> {
  needStanding(parts, actor)
  if (room.name === LOBBY) throw new Refusal(`the lobby is everybody's; nobody can ${what} it`)
  const role = await room.roleOf(actor)
  if (role === 'admin' || role === 'owner') return
  throw new Refusal(`only the owner of ${room.name} or an admin can ${what} it`)
}

/** Who asked for the end of which room, and when. */
function createRequests({ monotonic }: Pick<ModerationParts['clock'], 'monotonic'>) {
  const requests = new Map<RoomName, Map<Person['id'], number>>()
  return {
    /** Notes the request. With the room's name, the second one may come at any time. */
    isSecond(room: RoomName, { id }: Person, isNamed: boolean): boolean {
      const ofRoom = requests.get(room) ?? new Map<Person['id'], number>()
      const first = ofRoom.get(id)
      requests.set(room, ofRoom.set(id, monotonic()))
      return first !== undefined && (isNamed || monotonic() - first < ASKED_MS)
    },
    forget: (room: RoomName) => void requests.delete(room),
  }
}

/** Nobody gets in or speaks any more before anything is written or removed. What fails leaves the room as it was. */
async function removeRoom(room: Room, actor: Person, parts: ModerationParts): Promise<string> {
  const { sanctions, clients, server, peers, log } = parts
  const { private: isPrivate, owner } = await room.info()
  const text = `${actor.name} deleted the room`
  await tell(room, actor, { text, act: { verb: 'delete', who: room.name } }, log)
  const closed = sanctions.close(room.name)
  try {
    if (!(await peers.closeRoom(room.name, actor.name))) throw new Refusal('another server is deleting it')
    await server.stopWork({ room: room.name, why: `${room.name} is being deleted` })
    await clients.leave(room.name, () => true, `${actor.name} deleted ${room.name}`)
    await room.flushPresence()
    const file = await server.keepRoom(room.name)
    await removeAll(room.name, parts)
    closed.removed()
    if (owner !== null && owner !== actor.id)
      clients.everywhere.tell({ people: [owner], keys: [] }, whereItIs(room.name, file))
    log.info({ room: room.name, by: actor.name, file }, 'a room was deleted')
    if (!isPrivate) await tellInLobby(room.name, actor, parts)
    return file
  } catch (error) {
    closed.undo()
    log.error({ error, room: room.name }, 'a room could not be deleted')
    if (error instanceof StorageError) throw error
    throw new Refusal(`${room.name} was not deleted: ${errorMessage(error)}`)
  } finally {
    await peers
      .openRoom(room.name)
      .catch((error: unknown) => log.error({ error, room: room.name }, 'a room stays closed'))
  }
}

const whereItIs = (room: RoomName, file: string): string =>
  `all that was said in ${room} is in ${nameOf(file)}; an admin finds it in the server's exports directory`

const nameOf = (path: string): string => path.replace(/^.*[/\\]/, '')

async function removeAll(room: RoomName, { stores: { removal } }: ModerationParts): Promise<void> {
  const removeLog = async (): Promise<void> => {
    while (await removal.removeSome(room, REMOVED_AT_ONCE));
  }
  await removeLog()
  await removal.remove(room)
  // What was recorded while the rest was removed, such as a hook that failed.
  await removeLog()
}

async function tellInLobby(name: RoomName, actor: Person, { rooms, log }: ModerationParts): Promise<void> {
  const text = `${actor.name} deleted the room ${name}`
  await tell(await rooms.lobby(), actor, { text, act: { verb: 'delete', who: name } }, log)
}
