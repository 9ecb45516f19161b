import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { login, runCommand, TERMINAL } from '../support/load/client.ts'
import { keyOf } from '../support/load/keys.ts'
import { raisedLimits } from '../support/load/raised-limits.ts'
import { startModelServer, streams, type ModelServer } from '../support/model-server.ts'
import { startSshawl } from '../bench/fan-out/contenders.ts'
import { settled, sorted } from './crowd/figures.ts'
import {
  builder,
  emptyLedger,
  script,
  slowReader,
  talker,
  visitor,
  type Ledger,
  type Person,
} from './crowd/people.ts'

/** How long the crowd is there: `SOAK_SECONDS`, four minutes if absent. Before that it warms the server up. */
const SECONDS = Number(process.env['SOAK_SECONDS'] ?? 240)
const WARM_UP_SECONDS = Math.max(10, SECONDS / 6)

/** What the heap without its code may grow by: tables and caches that were not full after the warm-up. */
const MAX_GROWTH_MIB = 0.5

/** Where the heap snapshots of the beginning and the end stay, for a look with other tools: `SOAK_HEAPS`. */
const HEAPS = process.env['SOAK_HEAPS']

const configFor = ({ endpoint }: ModelServer): string => `
[[models]]
name = "qwen"
backend = "openai-compatible"
model = "qwen3:8b"
endpoint = "${endpoint}/v1"
context_window = 16000
${raisedLimits({ stall_s: 2, queue_bytes: 20_000 })}`

const READINGS =
  'whoami,who lobby,history lobby -n 50,search lobby number,models,rooms --json,wrap lobby @qwen --json'.split(
    ',',
  )

/** Everybody who is there; the model has a new reply for each question. */
function crowd(models: ModelServer): readonly Person[] {
  let scopes = 0
  const ask = (): readonly string[] => {
    models.play(streams(100, 5, (number) => `word${number} `))
    return ['ask lobby @qwen tell me a story']
  }
  return [
    ...['v1', 'v2', 'v3'].map((name) => visitor(name, TERMINAL)),
    ...['p1', 'p2'].map((name) => visitor(name, undefined)),
    ...['t1', 't2', 't3', 't4'].map((name) => talker(name, 150)),
    ...['slow1', 'slow2'].map(slowReader),
    ...['x1', 'x2'].map((name) => script(name, () => READINGS)),
    script('asker', ask, (ledger) => (ledger.replies += 1)),
    script(
      'rhea',
      () => [`tools lobby ${scopes++ % 2 === 0 ? 'off' : 'on'}`],
      (ledger) => (ledger.scopes += 1),
    ),
    builder('builder', 20),
  ]
}

/** Lets the crowd in for so long, and out again. */
async function live(people: readonly Person[], port: number, seconds: number, ledger: Ledger): Promise<void> {
  const overAt = performance.now() + seconds * 1000
  let failed = false
  const isOver = (): boolean => failed || performance.now() > overAt
  const all = people.map((person) =>
    person(port, ledger, isOver).catch((error: unknown) => {
      failed = true
      throw error
    }),
  )
  const outcomes = await Promise.allSettled(all)
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

/** One line of `history --json`; the parts that are looked at. */
interface Row {
  readonly id: string
  readonly kind: string
  readonly author: string
  readonly text: string
  readonly event?: string
  readonly joined?: readonly string[]
  readonly left?: readonly string[]
}

/** All that is kept of all rooms. */
async function readAllRows(port: number): Promise<readonly Row[]> {
  await using client = await login({ port, name: 'rhea', key: keyOf('rhea') })
  const rows: Row[] = []
  const { text } = await runCommand(client, 'rooms --json')
  for (const { name } of parseLines<{ name: string }>(text)) {
    for (let before: string | undefined; ;) {
      const page = await runCommand(
        client,
        `history ${name} -n 1000 --json${before ? ` --before ${before}` : ''}`,
      )
      const found = parseLines<Row>(page.text)
      rows.push(...found)
      before = found[0]?.id
      if (found.length < 1000) break
    }
  }
  return rows
}

/** A JSON array, or a JSON value a line. */
function parseLines<T>(output: string): T[] {
  if (output.startsWith('[')) return JSON.parse(output) as T[]
  return output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T)
}

/** How many came, or went: each presence entry names them. */
const moves = (rows: readonly Row[], event: 'joined' | 'left'): number =>
  rows.reduce((sum, row) => sum + (row[event]?.length ?? 0), 0)

const count = (rows: readonly Row[], kind: string, event?: string): number =>
  rows.filter((row) => row.kind === kind && (event === undefined || row.event === event)).length

test('a server has no more memory, handles or children after a crowd left, and no line is lost', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-soak-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  const heapFile = (when: string): string => join(HEAPS ?? dir, `${when}.heapsnapshot`)
  await using models = await startModelServer()
  await using server = await startSshawl(configFor(models))
  {
    await using rhea = await login({ port: server.port, name: 'rhea', key: keyOf('rhea') })
    expect((await runCommand(rhea, `claim ${server.claimCode}`)).status).toBe(0)
  }
  const ledger = emptyLedger()
  await live(crowd(models), server.port, WARM_UP_SECONDS, ledger)
  const before = await settled(server, heapFile('before'))
  await live(crowd(models), server.port, SECONDS, ledger)
  const after = await settled(server, heapFile('after'), before)
  // The last of them to leave are told at the end of their minute.
  const rows = await vi.waitFor(
    async () => {
      const all = await readAllRows(server.port)
      expect(moves(all, 'joined')).toBe(moves(all, 'left'))
      return all
    },
    { timeout: 300_000, interval: 10_000 },
  )

  console.log({ ...ledger, said: ledger.said.length, rows: rows.length, before, after })
  expect(
    rows
      .filter(({ kind }) => kind === 'message')
      .map(({ text }) => text)
      .filter((text) => !text.startsWith('@'))
      .toSorted(),
  ).toEqual(ledger.said.toSorted())
  expect(count(rows, 'reply')).toBe(ledger.replies)
  expect(count(rows, 'scope')).toBe(ledger.scopes)
  expect(ledger.slow).toBeGreaterThan(0)
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
  expect(sorted(after.resources)).toEqual(sorted(before.resources))
  expect(after.descriptors).toEqual(before.descriptors)
  expect(after.children).toBe(before.children)
  expect(after.dataMiB).toBeLessThan(before.dataMiB + MAX_GROWTH_MIB)
  expect(after.buffersMiB).toBeLessThan(before.buffersMiB + 1)
  expect(
    server
      .log()
      .split('\n')
      .filter((line) => line.includes('"level":"error"')),
  ).toEqual([])
})
