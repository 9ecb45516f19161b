// What several verbs share. It must not know any verb.
import type { RoomName } from '../../chat/entry.ts'
import { Refusal } from '../../chat/errors.ts'
import type { ActResult } from '../../chat/moderation/acts.ts'
import type { Person } from '../../chat/people/person.ts'
import type { Room } from '../../chat/room.ts'
import type { Rooms } from '../../chat/rooms.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { WrapError } from '../../prompt/ports.ts'
import { Misuse, type Caller, type Completing, type Here } from '../command.ts'

/** Records in a room what somebody changed there. */
export const tellRoom = async (room: Room, { name }: Person, text: string): Promise<void> =>
  void (await room.record({ kind: 'notice', level: 'info', author: name, text }))

/** Tells the room what somebody changed in it; a script, which does not see the room, reads it too. */
export async function announce({ room, person, session, out }: Here, text: string): Promise<void> {
  await tellRoom(room, person, text)
  if (!session) out.line(text)
}

/** Prints the notice of an act, unless its caller sees the room that was told. */
export function printNotice({ session, out }: Caller, { room, text }: ActResult): void {
  if (session?.room.name !== room) out.line(text)
}

/**
 * The text on the line, or what a script pipes in if the line has none, or only `-`. In a session, `-` is a
 * text. Throws `Refusal` if there is neither.
 */
export async function textOrStdin(onLine: string | undefined, { script }: Caller): Promise<string> {
  const isPiped = script && (onLine === undefined || onLine.trim() === '-')
  const text = isPiped ? await script.stdin('until-end') : onLine
  if (text === undefined) throw new Refusal('there is nothing to say: the message is empty')
  return text
}

/** The number that a flag gives, from 1 to `most`. Throws `Misuse`. */
export function numberFlag(
  flag: string,
  word: string | undefined,
  { fallback, most }: { readonly fallback: number; readonly most: number },
): number {
  if (word === undefined) return fallback
  const number = /^\d{1,6}$/.test(word) ? Number(word) : 0
  if (number >= 1 && number <= most) return number
  throw new Misuse(`${flag} takes a whole number from 1 to ${most}, such as ${flag} ${fallback}`)
}

/** The number of something in a list. Throws `Misuse` with the problem for any other word. */
export function listedNumber(word: string | undefined, problem: string): number {
  if (word !== undefined && /^\d{1,9}$/.test(word)) return Number(word)
  throw new Misuse(problem)
}

/** The version of a room's script or summary that somebody names. Throws `Refusal`. */
export function findVersion<V extends { readonly version: number }>(
  all: readonly V[],
  wanted: string,
  { room, what }: { readonly room: RoomName; readonly what: 'script' | 'summary' },
): V {
  const found = all.find(({ version }) => String(version) === wanted)
  if (found) return found
  throw new Refusal(`${room} has no ${what} version ${wanted.slice(0, 20)}; /${what} versions lists them`)
}

/** Throws `Refusal` for a prompt that cannot be made, else the error itself. */
export function refuseWrap(error: unknown): never {
  if (error instanceof WrapError) throw new Refusal(cleanLine(error.message), { cause: error })
  throw error
}

/** Milliseconds since the epoch as `2026-11-21T09:41:07.000Z`. */
export const iso = (at: number): string => new Date(at).toISOString()

/** Completes the argument `name` with the people in the room. */
export const completePeople = ({ room, argument }: Completing): readonly string[] =>
  argument === 'name' ? room.present().map(({ name }) => name) : []

/** The names of the rooms that somebody can see. */
export const roomNames = async (
  rooms: Rooms,
  { person }: Pick<Completing, 'person'>,
): Promise<readonly RoomName[]> => (await rooms.list(person)).map(({ name }) => name)
