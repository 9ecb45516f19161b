// What people do with what was said, and beside it, on disk: the last versions of entries, messages to one person, and who
// ignores whom, and what they typed for themselves. It must not know who may edit what, or when a message is shown.
import type { Entry } from '../../../../chat/entry.ts'
import type { Connection } from '../connection.ts'

interface Revision {
  readonly room: string
  readonly target: string
  readonly revision: string
  readonly text: string | null
}

/**
 * Keeps which version of an entry is the last, within the transaction that appends the next one. What was counted of the
 * text before is forgotten. An entry of another room is not revised, and what was taken back stays so.
 */
export function entryReviser(db: Connection['db']): (entry: Entry) => void {
  const put = db.prepare<[Revision]>(
    `INSERT INTO revisions (target, revision, text)
     SELECT id, @revision, @text FROM entries WHERE id = @target AND room = @room
     ON CONFLICT (target) DO UPDATE SET revision = excluded.revision, text = excluded.text WHERE text IS NOT NULL`,
  )
  const forgetCounts = db.prepare<[string]>('DELETE FROM token_counts WHERE entry = ?')
  return (entry) => {
    const revision = revisionIn(entry)
    if (!revision) return
    put.run(revision)
    forgetCounts.run(revision.target)
  }
}

function revisionIn(entry: Entry): Revision | undefined {
  const { id: revision, room } = entry
  if (entry.kind === 'message' && entry.edits !== undefined)
    return { room, target: entry.edits, revision, text: entry.text }
  if (entry.kind === 'notice' && entry.retracts !== undefined)
    return { room, target: entry.retracts, revision, text: null }
  return undefined
}
