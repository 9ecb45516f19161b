import { expect, test } from 'vitest'
import { get_encoding } from 'tiktoken'
import type { TokenCounter } from '../../src/wrap/ports.ts'
import type { Prompt } from '../../src/wrap/prompt.ts'
import type { HistoryRow, Snapshot } from '../../src/wrap/snapshot.ts'
import { messages } from '../support/snapshot.ts'
import { createWorkbench } from '../support/workbench.ts'
import { median, race, report, verdict } from './measure.ts'
import { composeWithPromptTsx, type PeerWork } from './prompt-tsx.ts'
import { layered, openComposer, TARGET, workload } from './workload.ts'

const ROUNDS = { rounds: 60, warmup: 15 }
/** A conversation that goes on: in each round there is one message more than before, and another question. */
const rows: readonly HistoryRow[] = messages(500 + ROUNDS.rounds + ROUNDS.warmup)
const conversation = (round: number): Snapshot =>
  workload(rows.slice(round, round + 500), `alice: what about question ${round}?`)

test('composing 8 layers, 100 tools and 500 messages under 8,000 tokens', async () => {
  const cold = performance.now()
  const bench = await createWorkbench()
  const first = bench.compose(conversation(0))
  const coldMs = performance.now() - cold
  await using pool = openComposer(1)
  const tables = get_encoding('o200k_base')
  const plain: TokenCounter = { ...bench.counter, count: (text) => tables.encode_ordinary(text).length }
  const peer = (entries: PeerWork['entries'], counter: TokenCounter) => (round: number) =>
    composeWithPromptTsx(peerWork(conversation(round), first, entries), counter)

  const times = await race(
    {
      ours: (round) => bench.compose(conversation(round)),
      'ours through the pipe': (round) => pool.compose(conversation(round)),
      'prompt-tsx, a message each': peer('messages', plain),
      'prompt-tsx, one message of chunks': peer('chunks', plain),
      'prompt-tsx, a message each, with our count cache': peer('messages', bench.counter),
      'prompt-tsx, one message of chunks, with our count cache': peer('chunks', bench.counter),
    },
    ROUNDS,
  )
  tables.free()

  const middle = Object.entries(times).map(([name, all]) => [name, median(all)] as const)
  const piped = middle[1]![1]
  const [best, cached] = [middle.slice(2, 4), middle.slice(4)].map(
    (some) => Math.min(...some.map(([, ms]) => ms)) / piped,
  )
  report(`(a) ${first.budget.used} of ${TARGET} tokens, medians of ${ROUNDS.rounds} rounds side by side`, [
    ['', 'ms', 'times ours through the pipe'],
    ...middle.map(([name, ms]) => [name, ms, ms / piped]),
    ['ours cold: engine, tokenizer and first prompt', coldMs, coldMs / piped],
    ['the faster peer against ours through the pipe', verdict(best!, best! >= 10, 'at least 10')],
    ['the same, given our count cache too', verdict(cached!, cached! >= 4, 'at least 4')],
  ])
  console.log(
    '  Warm: Lua and the script compiled, the tables loaded; what was counted or sent to the process\n' +
      '  before is remembered. New in each round: one message and the question.',
  )
})

test('composing 200 layers costs no more than 25 times what 8 cost', async () => {
  const bench = await createWorkbench()
  const [few, many] = [layered(8), layered(200)]
  expect([few, many].map((one) => bench.compose(one).layers.length)).toEqual([8, 200])
  const times = await race(
    { '8 layers': () => bench.compose(few), '200 layers': () => bench.compose(many) },
    ROUNDS,
  )
  const [less, more] = Object.values(times).map(median)
  report(`(b) layers, medians of ${ROUNDS.rounds} rounds side by side`, [
    ['', 'ms'],
    ['8 layers', less!],
    ['200 layers', more!],
    ['the one against the other', verdict(more! / less!, more! / less! <= 25, 'at most 25')],
  ])
})

/** The texts that our layers gave, as the other library takes them. */
function peerWork(snapshot: Snapshot, first: Prompt, entries: PeerWork['entries']): PeerWork {
  const [rules, tools] = first.system.split(/\n\n(?=## Your Functions)/u)
  const [before, said] = first.context.split(/\n\n(?=## The conversation)/u)
  if (!rules || !tools || !before || !said) throw new Error('the layers are not where they were')
  return {
    system: [
      { text: rules, priority: 1000 },
      { text: tools, priority: 900 },
    ],
    context: before.split('\n\n').map((text, index) => ({ text, priority: 980 - index })),
    history: snapshot.history.map(({ entry }) => `${entry.author}: ${entry.text}`),
    message: snapshot.message,
    tools: first.tools.flatMap((tool) => tool.definition ?? []),
    target: TARGET,
    entries,
  }
}
