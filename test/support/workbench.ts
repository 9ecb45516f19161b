import { listLua, readBundle } from '../../src/wrap/lua/bundle.ts'
import { openEngine } from '../../src/wrap/lua/engines.ts'
import { paths } from '../../src/base/paths.ts'
import type { TokenCounter } from '../../src/wrap/ports.ts'
import { createComposeCache } from '../../src/wrap/compose-cache.ts'
import type { Prompt } from '../../src/wrap/prompt.ts'
import type { Snapshot } from '../../src/wrap/snapshot.ts'
import { composePrompt } from '../../src/wrap/compose-prompt.ts'
import { tokenCounters } from './token-counters.ts'

/** The real engine and the real tokenizer in this process, for tests of what comes out. */
export type Workbench = Awaited<ReturnType<typeof createWorkbench>>

export async function createWorkbench() {
  const limits = { timeMs: 5000, memoryBytes: 64 * 1024 * 1024 }
  const engine = await openEngine('wasmoon', await readBundle(listLua(paths.lua)), limits)
  const counter = tokenCounters.of('o200k_base')
  const cache = createComposeCache()
  const compose = (snapshot: Snapshot): Prompt => composePrompt(snapshot, engine, counter, cache)
  return {
    engine,
    counter,
    compose,
    /** With another counter, and nothing cache. */
    composeWith: (other: TokenCounter, snapshot: Snapshot): Prompt => composePrompt(snapshot, engine, other),
    run: (source: string, snapshot: Snapshot): Prompt =>
      compose({ ...snapshot, script: { source, version: 1 } }),
  }
}
