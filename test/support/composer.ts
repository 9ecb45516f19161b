import { listLua, readBundle } from '../../src/wrap/lua/bundle.ts'
import { openEngine } from '../../src/wrap/lua/engines.ts'
import { paths } from '../../src/base/paths.ts'
import { runHook } from '../../src/wrap/run-hook.ts'
import type { Composer, LuaEngine } from '../../src/wrap/ports.ts'
import type { Snapshot } from '../../src/wrap/snapshot.ts'
import { composePrompt } from '../../src/wrap/compose-prompt.ts'
import { tokenCounters } from './token-counters.ts'

/** One for all tests of a worker, as one serves all rooms of a wrap process: to compile the bundle takes 40 ms each time. */
let shared: Promise<LuaEngine> | undefined

const openShared = async (): Promise<LuaEngine> =>
  openEngine('wasmoon', await readBundle(listLua(paths.lua)), { timeMs: 500, memoryBytes: 64 * 1024 * 1024 })

/** The real engine and the real layers, in this process: for tests of what happens around composing. */
export async function localComposer(): Promise<Composer & { readonly snapshots: readonly Snapshot[] }> {
  const snapshots: Snapshot[] = []
  const engine = await (shared ??= openShared())
  return {
    snapshots,
    async compose(snapshot, signal) {
      signal?.throwIfAborted()
      snapshots.push(snapshot)
      return composePrompt(snapshot, engine, tokenCounters.of(snapshot.model.encoding))
    },
    async check(source, trial, print = () => {}) {
      const printed: string[] = []
      const snapshot = { ...trial, script: { source, version: 0 } }
      try {
        composePrompt(snapshot, engine, tokenCounters.of(trial.model.encoding), undefined, printed)
      } finally {
        printed.forEach((line) => print(line))
      }
    },
    async runHook(run, signal) {
      signal?.throwIfAborted()
      return runHook(engine, run)
    },
    count: async (encoding, texts) => texts.map((text) => tokenCounters.of(encoding).count(text)),
    // The engine ends with the worker.
    async [Symbol.asyncDispose]() {},
  }
}
