import { expect, test } from 'vitest'
import type { CatalogueTool, Snapshot } from '../../src/wrap/snapshot.ts'
import { catalogue, messages, sampleTool } from '../support/snapshot.ts'
import { tokenCounters } from '../support/token-counters.ts'
import { median, race, report, verdict } from './measure.ts'
import { openComposer, TARGET, workload } from './workload.ts'

const ROUNDS = { rounds: 60, warmup: 15 }
const SERVERS = 30
const rows = messages(100 + ROUNDS.rounds + ROUNDS.warmup)

/** Tools as servers of the Model Context Protocol have them: a sentence or two, and a handful of parameters. */
const serverTools = (count: number): readonly CatalogueTool[] =>
  catalogue(
    ...Array.from({ length: count }, (_, at) =>
      sampleTool(`server${at % SERVERS}_tool_${Math.floor(at / SERVERS)}`, {
        group: 'mcp',
        source: `mcp:server${at % SERVERS}`,
        description: `Tool ${at}: looks up the records that have changed since a time, in the order in which they did.`,
        schema: {
          type: 'object',
          properties: {
            since: { type: 'string', description: 'ISO 8601; the beginning where it is absent' },
            [`kind_${at}`]: { type: 'string', enum: ['all', 'open', 'closed'] },
            limit: { type: 'integer', minimum: 1, maximum: 100 },
          },
          required: [`kind_${at}`],
        },
      }),
    ),
  )

test('composing with 1,000 tools of 30 servers takes at most 1.5 times what 30 tools take', async () => {
  const [few, all] = [serverTools(30), serverTools(1000)]
  const talk =
    (tools: readonly CatalogueTool[]) =>
    (round: number): Snapshot => ({
      ...workload(rows.slice(round, round + 100), `alice: what about question ${round}?`),
      tools,
    })
  await using pool = openComposer(1)
  const first = await pool.compose(talk(all)(0))
  expect(first.budget.used).toBeLessThanOrEqual(TARGET)
  const times = await race(
    {
      '30 tools': (round) => pool.compose(talk(few)(round)),
      '1,000 tools': (round) => pool.compose(talk(all)(round)),
    },
    ROUNDS,
  )
  const [less = NaN, more = NaN] = Object.values(times).map(median)
  const whole = all.map(({ name, description, schema }) => JSON.stringify({ name, description, schema }))
  const counter = tokenCounters.of('o200k_base')
  report(`catalogue: ${SERVERS} servers, medians of ${ROUNDS.rounds} rounds side by side`, [
    ['', 'ms'],
    ['30 tools', less],
    ['1,000 tools', more],
    ['the one against the other', verdict(more / less, more / less <= 1.5, 'at most 1.5')],
    ['tokens of tools in the prompt', first.budget.tools],
    ['tokens of all definitions, without rungs', counter.count(whole.join('\n'))],
    ['tools with their definition', first.tools.filter(({ form }) => form !== 'deferred').length],
  ])
})
