import type { Entry } from '../../chat/entry.ts'
import type { Person, Role } from '../../chat/people/person.ts'
import type { Participant } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import type { Screen } from '../../session/ports.ts'
import type { RoomPasts } from './past.ts'

/** A session's stay in one room. */
export interface RoomStay {
  readonly room: Room
  /** What the person was there as they came in. */
  readonly role: Role
  leave(): Promise<void>
}

/**
 * Brings a screen into a room. It enters first and is shown the past second; entries that arrive between are held back,
 * so that none is missed or shown twice. All that must be read is asked for at once. Rejects with `StorageError` if the
 * past cannot be read, and then the person has left the room again.
 */
export async function enterRoom(room: Room, screen: Screen, pasts: RoomPasts): Promise<RoomStay> {
  const { person } = screen
  /** Undefined once the past was shown. */
  let held: Entry[] | undefined = []
  /** The newest entry of the past, which may have been read before it is delivered. */
  let newest = ''
  const participant: Participant = {
    person,
    deliver(entry) {
      if (held) held.push(entry)
      else if (entry.id > newest) screen.deliver(entry)
      if (isAsked(entry, person)) screen.bell()
    },
  }
  const entering = room.enter(participant)
  const past = pasts.open(room)
  const leave = async (): Promise<void> => {
    past.release()
    await room.leave(participant)
  }
  try {
    const [entries, { topic }, role] = await Promise.all([
      past.ready,
      room.info(),
      room.roleOf(person).catch(() => leastRole(person)),
      entering,
    ])
    screen.print(topic ? `-- ${room.name}: ${topic}` : `-- ${room.name}`)
    const shown = entries()
    newest = shown.at(-1)?.id ?? ''
    for (const entry of shown) screen.deliver(entry)
    for (const entry of held) if (entry.id > newest) screen.deliver(entry)
    held = undefined
    return { room, role, leave }
  } catch (error) {
    // Whoever is refused has not entered, and leaving does nothing.
    await entering.catch(() => undefined)
    await leave()
    throw error
  }
}

/** What somebody certainly is, where the store does not say more. */
const leastRole = ({ guest }: Person): Role => (guest ? 'guest' : 'member')

/** Whether somebody waits for this person's answer. */
const isAsked = (entry: Entry, { name }: Person): boolean =>
  entry.kind === 'approval' && entry.answerers?.includes(name) === true
