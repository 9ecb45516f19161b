// How long the names of people, rooms and models may be, and of which characters: each rule once, with the words for it. What
// else is wrong with a person's name, names.ts says. Whoever changes a limit changes it here and nowhere else.

import type { RoomName } from '../entry.ts'

/** Characters (code points) of a person's name; the number of a guest's name is among them. */
export const MAX_PERSON_NAME = 24
const MAX_ROOM_NAME = 32
export const MAX_MODEL_NAME = 32

export const PERSON_NAME_RULE = `1-${MAX_PERSON_NAME} letters, digits, _ . or -`
export const ROOM_NAME_RULE = `1-${MAX_ROOM_NAME} of a-z, 0-9, _ and -`
export const MODEL_NAME_RULE = `1-${MAX_MODEL_NAME} of a-z, 0-9, _, . and -`

const PERSON_NAME = new RegExp(`^[\\p{L}\\p{M}\\p{N}_.-]{1,${MAX_PERSON_NAME}}$`, 'u')
/** A room's name. */
export const ROOM_NAME = new RegExp(`^[a-z0-9_-]{1,${MAX_ROOM_NAME}}$`)

/** True for what `PERSON_NAME_RULE` says; that is not all that a name is held to (names.ts). */
export const hasPersonCharacters = (name: string): boolean => PERSON_NAME.test(name)

/** True for what `ROOM_NAME_RULE` says, whether or not there is such a room. */
export const isRoomName = (name: string): name is RoomName => ROOM_NAME.test(name)

/** A model's name, as `MODEL_NAME_RULE` says it. */
export const MODEL_NAME = new RegExp(`^[a-z0-9_.-]{1,${MAX_MODEL_NAME}}$`)
