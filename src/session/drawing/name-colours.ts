import type { Entry, RoomName } from '../../chat/entry.ts'
import { NAME_COLOURS, type NameColour } from '../../chat/preferences/options.ts'

/** The colour of the name of a person who said something; models and the room have their own. */
export type ColourOfAuthor = (entry: Pick<Entry, 'room' | 'author' | 'kind'>) => NameColour | undefined

/** More names of a room, and more rooms, are not remembered; the oldest are forgotten. */
const MAX_NAMES = 200
const MAX_ROOMS = 1_000

/**
 * Gives each name a colour of its own in a room, as long as there are any that nobody else has there; beyond that, names share
 * colours. A name keeps its colour while the process lives, in all sessions; `chosen` is what somebody chose for it.
 */
export function createNameColours(chosen: (name: string) => NameColour | undefined): ColourOfAuthor {
  const rooms = new Map<RoomName, Map<string, NameColour>>()

  return ({ room, author, kind }) => {
    if (kind !== 'message' && kind !== 'action') return undefined
    const own = chosen(author)
    const names = rooms.get(room) ?? new Map<string, NameColour>()
    const known = own ?? names.get(author)
    if (known !== undefined && names.get(author) === known) return known
    const usual = usualColour(author)
    const taken = new Set(Array.from(names, ([name, colour]) => chosen(name) ?? colour))
    const free = taken.has(usual) ? NAME_COLOURS.find((colour) => !taken.has(colour)) : usual
    const colour = known ?? free ?? usual
    put(names, author, colour, MAX_NAMES)
    put(rooms, room, names, MAX_ROOMS)
    return colour
  }
}

function put<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}

/** Spreads names over the colours. */
export function usualColour(name: string): NameColour {
  let value = 0
  for (const character of name) value = (value * 31 + (character.codePointAt(0) ?? 0)) >>> 0
  return NAME_COLOURS[value % NAME_COLOURS.length] ?? 'green'
}
