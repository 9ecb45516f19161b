import type { Entry, EntryId, MessageEntry } from '../entry.ts'
import type { Person } from '../people/person.ts'

/**
 * The entries once another one has come, as a log that is read `revised` gives them: a new version takes the place of the
 * first, what is taken back is gone, with the reactions to it, and everything else is the last. Entries that are not there are not revised.
 */
export function revise(entries: readonly Entry[], next: Entry): readonly Entry[] {
  if (next.kind === 'message' && next.edits !== undefined)
    return entries.map((entry) => (isFirstVersion(entry, next) ? newVersion(entry, next) : entry))
  if (next.kind === 'notice' && next.retracts !== undefined)
    return [...entries.filter((entry) => !isGoneWith(entry, next.retracts)), next]
  return [...entries, next]
}

const isGoneWith = (entry: Entry, retracted: EntryId | undefined): boolean =>
  entry.id === retracted || (entry.kind === 'action' && entry.reacts === retracted)

const isFirstVersion = (entry: Entry, { edits }: MessageEntry): entry is MessageEntry =>
  entry.kind === 'message' && entry.id === edits

const newVersion = (entry: MessageEntry, { id, text }: MessageEntry): MessageEntry => ({
  ...entry,
  text,
  edited: id,
})

/** Whether somebody may have said this line: a reaction to a line, or a later version of one, is not a line of its own. */
export const isLine = (entry: Entry): boolean =>
  (entry.kind === 'message' && entry.edits === undefined) ||
  (entry.kind === 'action' && entry.reacts === undefined) ||
  entry.kind === 'reply'

/** Whether this person said or did it, under whatever name. An entry of an old log has only the name. */
export const isBy = ({ by, author }: Entry, { id, name }: Pick<Person, 'id' | 'name'>): boolean =>
  by === undefined ? author === name : by === id
