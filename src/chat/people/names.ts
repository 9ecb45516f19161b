import { oneScript } from '../../lib/text/skeleton.ts'
import type { RoomName } from '../entry.ts'
import { Refusal } from '../errors.ts'

/** The room that every session begins in; it always exists and belongs to nobody. */
export const LOBBY = 'lobby' as RoomName

/** The author of what the room itself says. */
export const SYSTEM = 'system'

/** Names nobody can register, whatever the case or the look-alike letters; the names of models are reserved too. */
export const RESERVED_NAMES: readonly string[] = [SYSTEM, 'server', LOBBY, 'everyone', 'all']

const ROOM_NAME = /^[a-z0-9_-]{1,32}$/
const PERSON_NAME = /^[\p{L}\p{N}_.-]{1,24}$/u

/** True for 1-32 of `[a-z0-9_-]`, whether or not there is such a room. */
export const isRoomName = (name: string): name is RoomName => ROOM_NAME.test(name)

/** Throws `Refusal` unless `name` is 1-32 of `[a-z0-9_-]`. */
export function roomName(name: string): RoomName {
  if (isRoomName(name)) return name
  throw new Refusal(`"${name.slice(0, 40)}" cannot be a room: use 1-32 of a-z, 0-9, _ and -`)
}

/** What is wrong with a person's name, in a sentence; undefined if it may be registered. */
export function problemWithName(name: string): string | undefined {
  if (!PERSON_NAME.test(name)) return 'a name is 1-24 letters, digits, _ . or -'
  if (!/[\p{L}\p{N}]/u.test(name)) return 'a name needs a letter or a digit'
  if (!oneScript(name)) return 'a name is written in one script'
  return undefined
}
