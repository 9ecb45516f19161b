/**
 * Composing prompts in processes of their own: composer.ts is what the server sees, pool.ts gives requests to
 * wrap processes, process/main.ts is what runs in one of them, and engines.ts has the engines that run Lua
 * there.
 *
 * The server's side must not know Lua or the tokenizer. The process's side must not know files beside its own
 * code, the network, the environment or a clock that prompts could see. No file but process/main.ts knows
 * another adapter.
 */
import { type Composer, WrapError } from '../../prompt/ports.ts'
import type { Prompt } from '../../prompt/prompt.ts'
import type { Snapshot } from '../../prompt/snapshot.ts'
import { type ComposerAccount, checkAccount, hookAccount, ownAccount, promptAccount } from './accounts.ts'
import { zip } from '../../lib/basics.ts'
import { countBatches } from './count-batches.ts'
import { createDefinitions } from './definitions-apart.ts'
import { createToolKeys, type KeyedTool } from './sent-once.ts'
import { type ComposerOptions, DEFAULT_COMPOSER_LIMITS } from './composer-options.ts'
import { ProcessPool, type RequestWriter } from './pool.ts'
import type { Response } from './process/protocol.ts'
import { watch } from './watchdog.ts'

/** A composer on a pool of wrap processes. */
export interface PoolComposer extends Composer {
  /** Starts a process, so that it is warm when the first prompt is asked for. */
  warmUp(): void
  /**
   * Resolves once a process is warm. Rejects with `WrapError` if none starts, or with the signal's reason.
   */
  ready(signal: AbortSignal): Promise<void>
}

/**
 * Makes one. Its first process is started now, or by `warmUp`, or with the first prompt. Throws `WrapError`
 * if there are no layers.
 */
export function createComposer(options: ComposerOptions, start: 'now' | 'later' = 'now'): PoolComposer {
  const limits = { ...DEFAULT_COMPOSER_LIMITS, ...options.limits }
  const pool = new ProcessPool({
    size: 2,
    encodings: ['o200k_base'],
    watch,
    ...options,
    limits,
  })
  if (start === 'now') pool.fill()
  const toolKeys = createToolKeys()
  const withDefinitions = createDefinitions()
  let ids = 0

  function ask(account: ComposerAccount, snapshot: Snapshot, signal?: AbortSignal): Promise<Response> {
    return pool.ask(account, composeRequest((ids += 1), snapshot, toolKeys), signal)
  }

  async function compose(
    account: ComposerAccount,
    snapshot: Snapshot,
    signal?: AbortSignal,
  ): Promise<Prompt> {
    const response = await ask(account, snapshot, signal)
    if (response.kind === 'prompt') return withDefinitions(response.prompt, snapshot.tools)
    throw unexpected(response)
  }

  /** A request of its own, so that no process works for long on counting, however much there is to count. */
  async function countBatch(
    encoding: string,
    texts: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly number[]> {
    const id = (ids += 1)
    const json = JSON.stringify({ id, kind: 'count', encoding, texts })
    const response = await pool.ask(ownAccount(`count ${encoding}`), () => ({ id, json }), signal)
    if (response.kind === 'counts') return response.counts
    throw unexpected(response)
  }

  return {
    compose: (snapshot, signal) =>
      compose(promptAccount(snapshot.room.name, snapshot.user.name), snapshot, signal),
    async check(source, trial, print = () => {}) {
      const snapshot = { ...trial, script: { source, version: trial.script?.version ?? 0 } }
      const response = await ask(checkAccount(trial.user.name), snapshot)
      if ('printed' in response) response.printed?.forEach((line) => print(line))
      if (response.kind !== 'prompt') throw unexpected(response)
    },
    async runHook(run, signal) {
      const id = (ids += 1)
      const json = JSON.stringify({ id, kind: 'hook', run })
      const response = await pool.ask(hookAccount(run.room.name, run.author), () => ({ id, json }), signal)
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
      // Another encoding would be loaded for nothing.
      await countBatch(options.encodings?.[0] ?? 'o200k_base', [''], signal)
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}

/**
 * A request with all but the tools and the history written out: which of these must go along is known when it
 * is sent. Throws `WrapError('argument')` for a snapshot that is not plain data.
 */
function composeRequest(
  id: number,
  { tools: given, history, ...rest }: Snapshot,
  toolKeys: (tools: Snapshot['tools']) => readonly KeyedTool[],
): RequestWriter {
  try {
    const snapshot = JSON.stringify(rest)
    const tools = toolKeys(given)
    return (send) => ({
      id,
      json: `{"id":${id},"kind":"compose","snapshot":${snapshot},"tools":${JSON.stringify(send.tools(tools))},"history":${send.history(rest.room.name, history)}}`,
    })
  } catch (error) {
    throw new WrapError('argument', `wrap: the snapshot cannot be sent: ${String(error).split('\n', 1)[0]}`)
  }
}

function unexpected(response: Response): WrapError {
  if (response.kind === 'failed') return new WrapError(response.reason, response.message)
  return new WrapError('process', `wrap: the wrap process answered ${response.kind}`)
}
