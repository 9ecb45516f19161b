import {
  marksAreInPlace,
  oneNumberSystem,
  scriptsGoTogether,
  strangeCharacter,
  look,
  skeleton,
} from '../base/text/names.ts'
import type { RoomName } from './entry.ts'
import { Refusal } from './errors.ts'

/** The room that every session begins in; it has no owner. */
export const LOBBY = 'lobby' as RoomName

export const SYSTEM = 'system'

/** Code points, including the number of a guest. */
export const MAX_PERSON_NAME = 24
export const MAX_ROOM_NAME = 32
export const MAX_MODEL_NAME = 32

export const PERSON_NAME_RULE = `1-${MAX_PERSON_NAME} letters, digits, _ . or -`
export const ROOM_NAME_RULE = `1-${MAX_ROOM_NAME} of a-z, 0-9, _ and -`
export const MODEL_NAME_RULE = `1-${MAX_MODEL_NAME} of a-z, 0-9, _, . and -`

const PERSON_NAME = new RegExp(`^[\\p{L}\\p{M}\\p{N}_.-]{1,${MAX_PERSON_NAME}}$`, 'u')
export const ROOM_NAME = new RegExp(`^[a-z0-9_-]{1,${MAX_ROOM_NAME}}$`)
export const MODEL_NAME = new RegExp(`^[a-z0-9_.-]{1,${MAX_MODEL_NAME}}$`)

/** True if the name follows `ROOM_NAME_RULE`, whether or not there is such a room. */
export const isRoomName = (name: string): name is RoomName => ROOM_NAME.test(name)

export function roomName(name: string): RoomName {
  if (isRoomName(name)) return name
  const meant = withoutHash(name)
  const hint = meant === undefined ? `use ${ROOM_NAME_RULE}` : `rooms have no #; did you mean ${meant}?`
  throw new Refusal(`"${name.slice(0, 40)}" cannot be a room: ${hint}`)
}

export function withoutHash(name: string): RoomName | undefined {
  const meant = name.replace(/^#+/, '').toLowerCase()
  return name.startsWith('#') && isRoomName(meant) ? meant : undefined
}

/** True if the name follows `PERSON_NAME_RULE`; `problemWithName` checks more. */
export const hasPersonCharacters = (name: string): boolean => PERSON_NAME.test(name)

/** Why a person cannot have the name, in a sentence. See docs/decisions/026-names.md. */
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

function unclearName(name: string): string | undefined {
  if (name.startsWith('-')) return 'a name does not begin with -, as the flags of commands do'
  if (name.endsWith('.')) return 'a name does not end with a full stop'
  // Letters that look like digits are digits to a reader.
  const isAddress = [name, skeleton(name)].some((text) => /^[\p{N}lO]+(\.[\p{N}lO]+){3}$/u.test(text))
  return isAddress ? 'a name is no network address' : undefined
}

const notInNames = (character: string): string => {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `U+${code} cannot be in a name: it is invisible, or no letter of everyday writing`
}

/** True if the name, as written or in small letters, is or looks like one of `names`. */
export function isLike(name: string, names: readonly string[]): boolean {
  const taken = new Set(names.map(skeleton))
  return taken.has(skeleton(name)) || taken.has(look(name))
}

const LABEL_SEPARATOR = ' · '

/** The author of what a persona says, as `reviewer · qwen`: no person's name has spaces. */
export const personaLabel = (persona: string, model: string): string => `${persona}${LABEL_SEPARATOR}${model}`

export function splitLabel(label: string): { readonly model: string; readonly persona?: string } {
  const [persona = '', model] = label.split(LABEL_SEPARATOR)
  return model === undefined ? { model: label } : { model, persona }
}

/** The name by which people mention the speaker: `reviewer` for `reviewer · qwen`. */
export const nameInLabel = (label: string): string => splitLabel(label).persona ?? label

/** Returns an entry's fields for its speaker: a model's name or a `personaLabel`. */
export function speakerCalled(label: string) {
  const { model, persona } = splitLabel(label)
  return { author: label, ...(persona === undefined ? {} : { persona, model }) }
}

/** Words that ring everybody in a room: `@all`. */
export const TO_ALL: readonly string[] = ['all', 'everyone', 'here', 'channel']

/** Names that nobody can register, with the reason; older registrations stay. */
const RESERVED: readonly (readonly [means: string, names: readonly string[]])[] = [
  ['the server speaks in this name', [SYSTEM, 'server', 'sshawl', LOBBY, 'reminder']],
  ['a line with it rings everybody in the room', TO_ALL],
  [
    'messages of the server use it for no particular person',
    ['everybody', 'nobody', 'somebody', 'someone', 'anybody'],
  ],
  ['messages of the server use it for their reader', ['you']],
  ['it sounds like a person who runs the server', ['op', 'owner', 'operator', 'moderator', 'admin', 'root']],
  ['models read it as a role in their prompt', ['assistant', 'user']],
]

const MEANING: ReadonlyMap<string, string> = new Map(
  RESERVED.flatMap(([means, names]) => names.map((name) => [skeleton(name), means] as const)),
)

/** Returns a sentence if the name is reserved or looks like a reserved name. */
export function whyReserved(name: string): string | undefined {
  const means = MEANING.get(skeleton(name)) ?? MEANING.get(look(name))
  return means === undefined ? undefined : `nobody can be called ${name}: ${means}; choose another name`
}
