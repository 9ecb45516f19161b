// Stores the requests of turns as JSON in compressed parts. Turns share equal parts, and a part is deleted
// with its last turn. This file must not know what a request contains.

import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { crc32, deflateRaw, inflateRawSync } from 'node:zlib'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { encodeTime } from 'ulid'
import type { TurnId } from '../../words/entry.ts'
import type { Database } from '../database.ts'
import type { Tables } from '../tables.ts'

type RequestPart = Tables['request_parts']

/** Measured: brotli would save 2 % more and take twice the time. */
const deflate = promisify(deflateRaw)

/** Minimum length of a part in characters. Measured: shorter parts cost more in rows than sharing saves. */
const MIN_CHARS = 2_000

/** A part ends at a line whose checksum this divides, so that windows of one conversation share parts. */
const DIVISOR = 16

/** Matches after a line feed as JSON escapes it. */
const LINE_END = /(?<=\\n)/

/** Compresses one part at a time, since each takes 256 KB of memory. */
export async function packRequest(value: unknown): Promise<readonly RequestPart[]> {
  const parts: RequestPart[] = []
  for (const text of split(JSON.stringify(value)))
    parts.push({ hash: createHash('sha256').update(text).digest(), bytes: await deflate(text) })
  return parts
}

function split(json: string): readonly string[] {
  const parts: string[] = []
  let part = ''
  for (const line of json.split(LINE_END)) {
    part += line
    if (part.length < MIN_CHARS || crc32(line) % DIVISOR !== 0) continue
    parts.push(part)
    part = ''
  }
  return part === '' ? parts : [...parts, part]
}

/** `step` is 0 for the prompt. Resolves to the size in bytes of the parts that no earlier request has. */
export async function putRequest(
  db: Kysely<Tables>,
  turn: string,
  step: number,
  parts: readonly RequestPart[],
): Promise<number> {
  const rows = parts.map(({ hash }, position) => ({ turn: turn as TurnId, step, position, hash }))
  const added = await db
    .insertInto('request_parts')
    .values(parts)
    .onConflict((on) => on.doNothing())
    .returning(sql<number>`length(bytes)`.as('bytes'))
    .execute()
  await db.insertInto('turn_parts').values(rows).execute()
  return added.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** Resolves to JSON by step; empty if an older program version stored the requests or they were removed. */
export async function readRequests(db: Kysely<Tables>, turn: string): Promise<readonly string[]> {
  const { rows } = await sql<{ step: number; bytes: Uint8Array }>`
    SELECT step, bytes FROM turn_parts JOIN request_parts ON request_parts.hash = turn_parts.hash
    WHERE turn = ${turn} ORDER BY step, position`.execute(db)
  const texts: string[] = []
  for (const { step, bytes } of rows) texts[step] = (texts[step] ?? '') + inflateRawSync(bytes).toString()
  return texts
}

/** The most turns in one transaction: a request may have a hundred thousand characters. */
const TURNS_AT_ONCE = 20

/** SQL that is true for a row of `turns` whose requests are stored. */
export const HAS_REQUESTS = sql`(prompt IS NOT NULL OR EXISTS (SELECT 1 FROM turn_parts WHERE turn = turns.id))`

/** Resolves to the oldest turns that match `which`, few enough for one transaction. */
export async function oldestTurns(
  db: Kysely<Tables>,
  which: RawBuilder<unknown>,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM turns WHERE ${which}
    ORDER BY started_at, id LIMIT ${TURNS_AT_ONCE}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The oldest turns before `before` with requests stored by any version. Turn ids begin with their time. */
export async function turnsWithRequests(db: Kysely<Tables>, before: number): Promise<readonly string[]> {
  const { rows } = await sql<{ turn: string }>`SELECT DISTINCT turn FROM turn_parts
    WHERE turn < ${encodeTime(Math.max(0, before), 10)} ORDER BY turn LIMIT ${TURNS_AT_ONCE}`.execute(db)
  const whole = await oldestTurns(db, sql`prompt IS NOT NULL AND started_at < ${before}`)
  return [...rows.map(({ turn }) => turn), ...whole]
}

/** Removes the requests of these turns. The caller holds the lock `REQUESTS`. */
export async function removeRequests(
  db: Kysely<Tables>,
  { list }: Pick<Database['dialect'], 'list'>,
  turns: readonly string[],
): Promise<void> {
  const ids = list(turns)
  await sql`DELETE FROM request_parts
    WHERE hash IN (SELECT hash FROM turn_parts WHERE turn IN ${ids})
      AND NOT EXISTS (SELECT 1 FROM turn_parts AS other
        WHERE other.hash = request_parts.hash AND other.turn NOT IN ${ids})`.execute(db)
  await sql`DELETE FROM turn_parts WHERE turn IN ${ids}`.execute(db)
  await sql`DELETE FROM turn_steps WHERE turn IN ${ids}`.execute(db)
  await sql`UPDATE turns SET prompt = NULL WHERE id IN ${ids} AND prompt IS NOT NULL`.execute(db)
}
