// Composes prompts in separate processes. Server's side: composer.ts and pool.ts, which must not know Lua or
// the tokenizer. Process's side: process/main.ts and engines.ts, which must not know files beside their code,
// network, environment or a clock that prompts could see. Only process/main.ts knows another adapter.
import { zip } from '../../base/basics.ts'
import { type Composer, WrapError } from '../ports.ts'
import type { Snapshot } from '../snapshot.ts'
import { countBatches } from './count-batches.ts'
import { createDefinitions } from './definitions-apart.ts'
import { type ComposerOptions, DEFAULT_COMPOSER_LIMITS, ProcessPool, type RequestWriter } from './pool.ts'
import type { Response } from './process/protocol.ts'
import { watch } from './watchdog.ts'

export interface PoolComposer extends Composer {
  /** Starts a process, so that it is warm for the first prompt. */
  warmUp(): void
  /** Resolves when a process is warm. Rejects with `WrapError` if none starts, or the signal's reason. */
  ready(signal: AbortSignal): Promise<void>
}

/** Starts the first process now, by `warmUp`, or with the first prompt. Throws `WrapError` without layers. */
export function createComposer(options: ComposerOptions, start: 'now' | 'later' = 'now'): PoolComposer {
  const limits = { ...DEFAULT_COMPOSER_LIMITS, ...options.limits }
  const pool = new ProcessPool({ size: 2, encodings: ['o200k_base'], watch, ...options, limits })
  if (start === 'now') pool.fill()
  const withDefinitions = createDefinitions()

  /** Counts in its own request, so that no process counts for long at a time. */
  async function countBatch(
    encoding: string,
    texts: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly number[]> {
    const turn = `count ${encoding}`
    const request = JSON.stringify({ kind: 'count', encoding, texts })
    const response = await pool.ask({ turn, payers: [turn] }, () => request, signal)
    if (response.kind === 'counts') return response.counts
    throw unexpected(response)
  }

  return {
    async compose(snapshot, signal) {
      const response = await pool.ask(inRoom(snapshot.room.name, snapshot.user.name), write(snapshot), signal)
      if (response.kind === 'prompt') return withDefinitions(response.prompt, snapshot.tools)
      throw unexpected(response)
    },
    async check(source, trial, print = () => {}) {
      const snapshot = { ...trial, script: { source, version: trial.script?.version ?? 0 } }
      const turn = person(trial.user.name)
      const response = await pool.ask({ turn, payers: [turn] }, write(snapshot))
      if ('printed' in response) response.printed?.forEach((line) => print(line))
      if (response.kind !== 'prompt') throw unexpected(response)
    },
    async runHook(run, signal) {
      const request = JSON.stringify({ kind: 'hook', run })
      // The hook's author pays, because only the author chose to run it.
      const response = await pool.ask(inRoom(run.room.name, run.author), () => request, signal)
      if (response.kind === 'hook') return response.outcome
      throw unexpected(response)
    },
    async count(encoding, texts) {
      const counts = texts.map(() => 0)
      for (const batch of countBatches(texts)) {
        const counted = await countBatch(
          encoding,
          batch.map(({ text }) => text),
        )
        for (const [{ of }, tokens] of zip(batch, counted)) counts[of] = (counts[of] ?? 0) + tokens
      }
      return counts
    },
    warmUp: () => pool.fill(),
    async ready(signal) {
      // Uses a configured encoding, so that no other encoding is loaded for nothing.
      await countBatch(options.encodings?.[0] ?? 'o200k_base', [''], signal)
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}

const person = (name: string): string => `person ${name}`

const inRoom = (room: string, name: string) => ({
  turn: person(name),
  payers: [`room ${room}`, person(name)],
})

/** Writes when the request is sent, because only then the tools and rows to include are known. */
const write =
  ({ tools, history, ...snapshot }: Snapshot): RequestWriter =>
  (senders) =>
    JSON.stringify({
      kind: 'compose',
      snapshot,
      tools: senders.tools.pack(tools),
      history: senders.history.pack(history),
    })

function unexpected(response: Response): WrapError {
  if (response.kind === 'failed') return new WrapError(response.reason, response.message)
  return new WrapError('process', `wrap: the wrap process answered ${response.kind}`)
}
