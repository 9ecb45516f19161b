import { type Entry, isEntryKind, type ReplyDelta } from '../chat/entry.ts'
import type { PersonId } from '../chat/people/person.ts'
import type { Hint } from './heard-room.ts'
import type { ServerId } from './stores.ts'

/** What one server tells the others of a room, besides its own id. */
export type NoteBody =
  | { readonly hint: Hint }
  | { readonly delta: ReplyDelta }
  | { readonly whisper: Entry; readonly to: readonly PersonId[] }

/** As it goes over the wire. */
export type Note = NoteBody & { readonly server: ServerId }

/** Undefined for what no server of this version says. */
export function parsedNote(text: string): Note | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isNote(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isNote(value: unknown): value is Note {
  if (!isObject(value) || typeof value['server'] !== 'string') return false
  const { hint, delta, whisper, to } = value
  if (whisper !== undefined) return isEntry(whisper) && Array.isArray(to)
  if (delta !== undefined) return isObject(delta) && typeof delta['text'] === 'string'
  return (
    isObject(hint) &&
    typeof hint['id'] === 'string' &&
    (hint['entry'] === undefined || (isEntry(hint['entry']) && Object(hint['entry'])['id'] === hint['id']))
  )
}

/** What only another version records is read from the log. */
const isEntry = (value: unknown): boolean =>
  isObject(value) &&
  ['id', 'kind', 'author', 'text', 'room'].every((key) => typeof value[key] === 'string') &&
  isEntryKind(String(value['kind']))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
