import type { DirectMessageStore } from '../../../../chat/talk/ports.ts'
import { type MessageRow, toMessage, toRow } from '../../rows/message-row.ts'
import type { Connections } from '../connection.ts'
import { WAITING_MESSAGES } from '../../locks.ts'
import { sql } from '../sql.ts'

/** Messages to one person. */
export function createDirectMessageStore({ writeQueue }: Connections): DirectMessageStore {
  const writes = writeQueue()
  return {
    put: (message, { forOne, fromOne, inAll, notBefore }) =>
      writes.write(async (tx) => {
        const { id, recipient, sender, name, guest, key, at, text } = toRow(message)
        await tx.run(sql`DELETE FROM direct_messages WHERE at < ${notBefore}`)
        const stored = await tx.run(sql`
          INSERT INTO direct_messages (id, recipient, sender, name, guest, key, at, text)
          SELECT ${id}, ${recipient}, ${sender}, ${name}, ${guest}::bigint, ${key}, ${at}::bigint, ${text}
          WHERE (SELECT count(*) FROM direct_messages WHERE recipient = ${recipient}) < ${forOne}
            AND (SELECT count(*) FROM direct_messages WHERE recipient = ${recipient} AND (sender = ${sender} OR key = ${key}))
              < ${fromOne}
            AND (SELECT count(*) FROM direct_messages) < ${inAll}`)
        return stored === 1
      }, WAITING_MESSAGES),
    waiting: async (person) => {
      const rows = await writes.read((statements) =>
        statements.all<MessageRow>(
          sql`SELECT * FROM direct_messages WHERE recipient = ${person} ORDER BY id`,
        ),
      )
      return rows.map(toMessage)
    },
    async remove(ids) {
      await writes.run(sql`DELETE FROM direct_messages WHERE id = ANY(${ids})`)
    },
  }
}
