import { readBundle } from '../../src/adapters/lua/bundle.ts'
import { openEngine } from '../../src/adapters/lua/engines.ts'
import { createTokenCounters } from '../../src/adapters/tokens/tiktoken.ts'
import { paths } from '../../src/app/paths.ts'
import { runHook } from '../../src/prompt/hooks/run-hook.ts'
import type { Composer } from '../../src/prompt/ports.ts'
import type { Snapshot } from '../../src/prompt/snapshot.ts'
import { composePrompt } from '../../src/prompt/wrap.ts'

/** Loading the tables of an encoding takes longer than most tests; nothing in them changes. */
const counters = createTokenCounters()

/** The real engine and the real layers, in this process: for tests of what happens around composing. */
export async function localComposer(): Promise<Composer & { readonly snapshots: readonly Snapshot[] }> {
  const snapshots: Snapshot[] = []
  const engine = await openEngine('wasmoon', await readBundle(paths.lua), {
    timeMs: 2000,
    memoryBytes: 64 * 1024 * 1024,
  })
  return {
    snapshots,
    async compose(snapshot, signal) {
      signal?.throwIfAborted()
      snapshots.push(snapshot)
      return composePrompt(snapshot, engine, counters.of(snapshot.model.encoding))
    },
    async check(source, trial, print = () => {}) {
      const printed: string[] = []
      const snapshot = { ...trial, script: { source, version: 0 } }
      try {
        composePrompt(snapshot, engine, counters.of(trial.model.encoding), undefined, printed)
      } finally {
        printed.forEach((line) => print(line))
      }
    },
    async runHook(run, signal) {
      signal?.throwIfAborted()
      return runHook(engine, run)
    },
    count: async (encoding, texts) => texts.map((text) => counters.of(encoding).count(text)),
    async [Symbol.asyncDispose]() {
      engine.close()
    },
  }
}
