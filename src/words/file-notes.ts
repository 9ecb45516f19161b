import { bytes } from '../base/amounts.ts'
import type { FileEntry, FileNote, RoomName } from './entry.ts'

/** Files that an entry lists; its text names fewer. */
export const MAX_FILE_NOTES = 50
const MAX_NAMED = 8

/** `a.txt (text, 4 B), logo.png (PNG picture, 12 KiB) and 3 more`, on one line. */
export function fileNamesText(notes: readonly FileNote[]): string {
  const named = notes.slice(0, MAX_NAMED).map(fileText).join(', ')
  return notes.length > MAX_NAMED ? `${named} and ${notes.length - MAX_NAMED} more` : named
}

/** `made a.txt (text, 4 B), b; removed c`, on one line. */
export function fileChangesText(notes: readonly FileNote[]): string {
  const events = ['made', 'changed', 'removed'] as const
  return events
    .map((event) => ({ event, of: notes.filter((note) => note.event === event) }))
    .filter(({ of }) => of.length > 0)
    .map(({ event, of }) => `${event} ${fileNamesText(of)}`)
    .join('; ')
}

/** The entry's text for people, with the shell line that downloads its first picture. */
export function fileEntryText({ room, text, files }: Pick<FileEntry, 'room' | 'text' | 'files'>): string {
  const picture = files.find(({ type, event }) => event !== 'removed' && isPicture(type))
  return picture
    ? `${text}; a question with its name shows it to a model; to get it: ${gettingLine(room, picture.name)}`
    : text
}

export const isPicture = (type: string | undefined): boolean => type?.endsWith(' picture') ?? false

/** A name that a shell may read otherwise is shown as `NAME`. */
export function gettingLine(room: RoomName, name: string): string {
  const shown = /^[\w.][\w./-]*$/.test(name) ? name : 'NAME'
  return `ssh HOST files ${room} ${shown} > ${shown.slice(shown.lastIndexOf('/') + 1)}`
}

function fileText({ name, size, type }: FileNote): string {
  const about = [...(type === undefined ? [] : [type]), ...(size === undefined ? [] : [bytes(size)])]
  return about.length > 0 ? `${name} (${about.join(', ')})` : name
}
