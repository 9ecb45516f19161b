import type { RoomName } from '../../../../chat/entry.ts'
import type { PersonId } from '../../../../chat/people/person.ts'
import type { SlotLimits, Work } from '../../../../chat/peers.ts'
import type { ServerId, WorkRow, WorkStore } from '../../../../cluster/stores.ts'
import { nextInLine } from '../../../../lib/jobs/next-in-line.ts'
import type { JsonObject } from '../../../../lib/json.ts'
import type { Connections } from '../connection.ts'
import { queueOf } from '../locks.ts'
import { sql } from '../sql.ts'
import type { Statements } from '../statements.ts'

/** The table `work`. Whatever changes who runs in a queue, which the table calls a line, holds the lock of the queue. */
export const createWorkStore = ({ read, transaction }: Connections, self: ServerId): WorkStore => ({
  take: (work, limits) =>
    transaction(
      async (tx) => {
        const { running, waiting } = await fill(tx, work.queue, limits)
        const waits = running >= limits.running
        if (waits && waiting >= limits.waiting) return { taken: false, running, waiting }
        await insert(tx, work, waits, self)
        return { taken: true, waits }
      },
      [queueOf(work.queue)],
    ),
  leave: ({ id, queue }, limits) =>
    transaction(
      async (tx) => {
        await tx.run(sql`DELETE FROM work WHERE id = ${id}`)
        await fill(tx, queue, limits)
      },
      [queueOf(queue)],
    ),
  fill: (queue, limits) => transaction(async (tx) => void (await fill(tx, queue, limits)), [queueOf(queue)]),
  async tell(id, doing) {
    const text = JSON.stringify(doing)
    await transaction((tx) =>
      tx.run(sql`UPDATE work SET doing = ${text} WHERE id = ${id} AND server = ${self} AND doing <> ${text}`),
    )
  },
  async read(ids) {
    const rows = await read.all<Row>(sql`
      SELECT id, kind, line AS queue, room, person, server, waits, facts, doing, floor(extract(epoch FROM clock_timestamp() - at) * 1000) AS "ageMs"
      FROM work WHERE ${ids ? sql`id = ANY(${ids})` : sql`true`} ORDER BY number`)
    return rows.map(toWork)
  },
})

interface Standing {
  readonly id: string
  readonly owner: PersonId
  readonly waits: number
}

/** Lets as many begin as may. How many run and wait then. */
async function fill(tx: Statements, queue: string, limits: Pick<SlotLimits, 'running'>): Promise<SlotLimits> {
  const rows = await tx.all<Standing>(
    sql`SELECT id, person AS owner, waits FROM work WHERE line = ${queue} ORDER BY number`,
  )
  const waiting = new Set(rows.filter(({ waits }) => waits === 1))
  const running = rows.filter(({ waits }) => waits === 0)
  const begun: string[] = []
  while (running.length < limits.running) {
    const next = nextInLine(running, waiting)
    if (!next) break
    waiting.delete(next)
    running.push(next)
    begun.push(next.id)
  }
  if (begun.length > 0) await tx.run(sql`UPDATE work SET waits = 0 WHERE id = ANY(${begun})`)
  return { running: running.length, waiting: waiting.size }
}

async function insert(tx: Statements, work: Work, waits: boolean, self: ServerId): Promise<void> {
  await tx.run(sql`
    INSERT INTO work (id, server, kind, line, room, person, waits, facts, doing)
    VALUES (${work.id}, ${self}, ${work.kind}, ${work.queue}, ${work.room}, ${work.person}, ${waits ? 1 : 0},
      ${JSON.stringify(work.facts)}, '{}')`)
}

interface Row extends Pick<WorkRow, 'id' | 'kind' | 'queue' | 'server' | 'ageMs'> {
  readonly room: RoomName
  readonly person: PersonId
  readonly waits: number
  readonly facts: string
  readonly doing: string
}

const toWork = ({ waits, facts, doing, ...row }: Row): WorkRow => ({
  ...row,
  waits: waits === 1,
  facts: JSON.parse(facts) as JsonObject,
  doing: JSON.parse(doing) as JsonObject,
})
