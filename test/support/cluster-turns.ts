import type { ClusterStage } from './cluster.ts'
import type { ModelServer } from './model-server.ts'

/** The config of servers with the model `qwen`: one turn at a time in a room, and one that waits; with more limits. */
export const oneTurnAtOnce = ({ endpoint }: Pick<ModelServer, 'endpoint'>, limits = ''): string => `
[limits]
address_burst = 1000000
rate_burst = 1000
turns_per_room = 1
turns_queued = 1
${limits}
[[models]]
name = "qwen"
backend = "openai-compatible"
endpoint = "${endpoint}/v1"
model = "test"
context_window = 8192
encoding = "r50k_base"
`

/** A stored turn, and how many ends its room was told of. */
export interface ToldTurn {
  readonly outcome: string | null
  readonly ends: number
}

/** All turns of a room, the oldest first. */
export const toldTurns = async ({ database }: ClusterStage, room = 'lobby'): Promise<readonly ToldTurn[]> => {
  const rows = await database.send(`
    SELECT outcome, (SELECT count(*)::int FROM entries WHERE data::json ->> 'turn' = turns.id
      AND (kind = 'notice' OR data::json ->> 'outcome' IS NOT NULL)) AS ends
    FROM turns WHERE room = '${room}' ORDER BY started_at`)
  return rows.map(({ outcome, ends }) => ({ outcome: outcome as string | null, ends: Number(ends) }))
}

/** How many turns have no end yet. */
export const unfinished = async ({ database }: ClusterStage): Promise<number> =>
  (await database.send('SELECT id FROM turns WHERE ended_at IS NULL')).length
