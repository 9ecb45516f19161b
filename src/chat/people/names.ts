import {
  marksAreInPlace,
  oneNumberSystem,
  scriptsGoTogether,
  strangeCharacter,
} from '../../lib/text/restriction.ts'
import { look, skeleton } from '../../lib/text/skeleton.ts'
import type { RoomName } from '../entry.ts'
import { Refusal } from '../errors.ts'
import { hasPersonCharacters, isRoomName, PERSON_NAME_RULE, ROOM_NAME_RULE } from './name-rules.ts'

/** The room that every session begins in; it always exists and belongs to nobody. */
export const LOBBY = 'lobby' as RoomName

/** The author of what the room itself says. */
export const SYSTEM = 'system'

/** Throws `Refusal` unless `name` may be a room's (`ROOM_NAME_RULE`). */
export function roomName(name: string): RoomName {
  if (isRoomName(name)) return name
  const meant = withoutHash(name)
  const hint = meant === undefined ? `use ${ROOM_NAME_RULE}` : `rooms have no #; did you mean ${meant}?`
  throw new Refusal(`"${name.slice(0, 40)}" cannot be a room: ${hint}`)
}

/** The room that somebody means who writes rooms as IRC does, `#den`; undefined for another name. */
export function withoutHash(name: string): RoomName | undefined {
  const meant = name.replace(/^#+/, '').toLowerCase()
  return name.startsWith('#') && isRoomName(meant) ? meant : undefined
}

/** What is wrong with a person's name, in a sentence; undefined if it may be registered. See docs/decisions/026-names.md. */
export function problemWithName(name: string): string | undefined {
  if (!hasPersonCharacters(name)) return `a name is ${PERSON_NAME_RULE}`
  if (!/[\p{L}\p{N}]/u.test(name)) return 'a name needs a letter or a digit'
  const unclear = unclearName(name)
  if (unclear !== undefined) return unclear
  const strange = strangeCharacter(name)
  if (strange !== undefined) return notInNames(strange)
  if (!scriptsGoTogether(name))
    return 'a name is written in one script, or in scripts that are written together'
  if (!oneNumberSystem(name)) return 'the digits of a name are of one kind'
  if (!marksAreInPlace(name)) return 'each mark of a name stands on a letter, and only once'
  return undefined
}

/** What else a command, or a reader of a sentence, could take the name for. */
function unclearName(name: string): string | undefined {
  if (name.startsWith('-')) return 'a name does not begin with -, as the flags of commands do'
  if (name.endsWith('.')) return 'a name does not end with a full stop'
  // Letters that look like digits are digits to a reader.
  const isAddress = [name, skeleton(name)].some((text) => /^[\p{N}lO]+(\.[\p{N}lO]+){3}$/u.test(text))
  return isAddress ? 'a name is no network address' : undefined
}

/** Whether a name is one of these, or looks like one of them, as it is written or in small letters. */
export function isLike(name: string, names: readonly string[]): boolean {
  const taken = new Set(names.map(skeleton))
  return taken.has(skeleton(name)) || taken.has(look(name))
}

const notInNames = (character: string): string => {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `U+${code} cannot be in a name: it is invisible, or no letter of everyday writing`
}
