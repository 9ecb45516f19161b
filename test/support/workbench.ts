import { listLua, readBundle } from '../../src/adapters/lua/bundle.ts'
import { openEngine } from '../../src/adapters/lua/engines.ts'
import { paths } from '../../src/app/paths.ts'
import type { LuaEngine, TokenCounter } from '../../src/prompt/ports.ts'
import { createComposeCache } from '../../src/prompt/compose-cache.ts'
import type { Prompt } from '../../src/prompt/prompt.ts'
import type { Snapshot } from '../../src/prompt/snapshot.ts'
import { composePrompt } from '../../src/prompt/compose-prompt.ts'
import { tokenCounters } from './token-counters.ts'

/** The real engine and the real tokenizer in this process, for tests of what comes out. */
export interface Workbench {
  readonly engine: LuaEngine
  readonly counter: TokenCounter
  compose(snapshot: Snapshot): Prompt
  /** With another counter, and nothing cache. */
  composeWith(counter: TokenCounter, snapshot: Snapshot): Prompt
  /** With a room script of this text. */
  run(script: string, snapshot: Snapshot): Prompt
}

/** One for a test file. */
export async function createWorkbench(): Promise<Workbench> {
  const limits = { timeMs: 5000, memoryBytes: 64 * 1024 * 1024 }
  const engine = await openEngine('wasmoon', await readBundle(listLua(paths.lua)), limits)
  const counter = tokenCounters.of('o200k_base')
  const cache = createComposeCache()
  const compose = (snapshot: Snapshot): Prompt => composePrompt(snapshot, engine, counter, cache)
  return {
    engine,
    counter,
    compose,
    composeWith: (other, snapshot) => composePrompt(snapshot, engine, other),
    run: (source, snapshot) => compose({ ...snapshot, script: { source, version: 1 } }),
  }
}
