import type { PersonId } from '../../../../chat/people/person.ts'
import type { DirectMessageStore, WaitingLimits } from '../../../../chat/talk/ports.ts'
import { type MessageRow, toMessage, toRow } from '../../rows/message-row.ts'
import type { Connection } from '../connection.ts'

/** Messages to one person. */
export function createDirectMessageStore({ db, read, write, emptyLogSoon }: Connection): DirectMessageStore {
  const sweep = db.prepare<[number]>('DELETE FROM direct_messages WHERE at < ?')
  const put = db.prepare<[MessageRow & WaitingLimits]>(
    `INSERT INTO direct_messages (id, recipient, sender, name, guest, key, at, text)
     SELECT @id, @recipient, @sender, @name, @guest, @key, @at, @text
     WHERE (SELECT count(*) FROM direct_messages WHERE recipient = @recipient) < @forOne
       AND (SELECT count(*) FROM direct_messages WHERE recipient = @recipient AND (sender = @sender OR key = @key))
             < @fromOne
       AND (SELECT count(*) FROM direct_messages) < @inAll`,
  )
  const waiting = db.prepare<[PersonId], MessageRow>(
    'SELECT * FROM direct_messages WHERE recipient = ? ORDER BY id',
  )
  const remove = db.prepare<[string]>('DELETE FROM direct_messages WHERE id = ?')
  return {
    put: (message, limits) =>
      write(() => {
        if (sweep.run(limits.notBefore).changes > 0) emptyLogSoon()
        return put.run({ ...toRow(message), ...limits }).changes === 1
      }),
    waiting: (person) => read(() => waiting.all(person).map(toMessage)),
    remove: (ids) =>
      write(() => {
        for (const id of ids) remove.run(id)
        emptyLogSoon()
      }),
  }
}
