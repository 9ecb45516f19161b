// What people do with what was said, and beside it, on disk: the last versions of entries, messages to one person, and who
// ignores whom, and what they typed for themselves. It must not know who may edit what, or when a message is shown.
import type { Entry } from '../../../../chat/entry.ts'
import { type Revision, revisionIn } from '../../rows/revision.ts'
import type { Connection } from '../connection.ts'

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
