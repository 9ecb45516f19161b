import type { Chat } from '../chat/chat.ts'
import type { Entry } from '../chat/entry.ts'
import type { Person } from '../chat/person.ts'
import type { Participant } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import type { Screen } from '../session/ports.ts'

/** A session's stay in one room. */
export interface RoomStay {
  readonly room: Room
  leave(): Promise<void>
}

/** How many entries of the past somebody sees who comes into a room. */
const PAST_ENTRIES = 20

/**
 * Brings a screen into a room. It enters first and is shown the past second; entries that arrive between are held back,
 * so that none is missed or shown twice. Rejects with `StorageError` if the past cannot be read, and then the person has
 * left the room again.
 */
export async function enterRoom(room: Room, screen: Screen, chat: Chat): Promise<RoomStay> {
  /** Undefined once the past was shown. */
  let held: Entry[] | undefined = []
  const participant: Participant = {
    person: screen.person,
    deliver(entry) {
      if (held) held.push(entry)
      else screen.deliver(entry)
      if (isAsked(entry, screen.person)) screen.bell()
    },
  }
  const leave = (): Promise<void> => room.leave(participant)
  await room.enter(participant)
  try {
    const newest = await showPast(room, screen, chat)
    for (const entry of held) if (entry.id > newest) screen.deliver(entry)
    held = undefined
  } catch (error) {
    await leave()
    throw error
  }
  return { room, leave }
}

/** Whether somebody waits for this person's answer. */
const isAsked = (entry: Entry, { name }: Person): boolean =>
  entry.kind === 'approval' && entry.answerers?.includes(name) === true

/** The id of the newest entry that was shown; empty where there is none. */
async function showPast(room: Room, screen: Screen, chat: Chat): Promise<string> {
  const past = await chat.history(room, { limit: PAST_ENTRIES, withoutThreads: true })
  const { topic } = await room.info()
  screen.print(topic ? `-- ${room.name}: ${topic}` : `-- ${room.name}`)
  for (const entry of past) screen.deliver(entry)
  return past.at(-1)?.id ?? ''
}
