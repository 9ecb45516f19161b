import type { Entry } from '../../../chat/entry.ts'

/** That an entry has a later version, or was taken back: then it has no text. */
export interface Revision {
  readonly room: string
  readonly target: string
  readonly revision: string
  readonly text: string | null
}

/** What an entry says of another one. */
export function revisionIn(entry: Entry): Revision | undefined {
  const { id: revision, room } = entry
  if (entry.kind === 'message' && entry.edits !== undefined)
    return { room, target: entry.edits, revision, text: entry.text }
  if (entry.kind === 'notice' && entry.retracts !== undefined)
    return { room, target: entry.retracts, revision, text: null }
  return undefined
}
