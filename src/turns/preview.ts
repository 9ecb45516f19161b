import type { Snapshots } from '../prompt/gather-snapshot.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import type { Composer } from '../prompt/ports.ts'
import type { Prompt } from '../prompt/prompt.ts'
import type { Snapshot } from '../prompt/snapshot.ts'
import type { FindScopedTools, ScopeQuery } from '../toolbox/scoped-tools.ts'
import { createToolList, type ListTools } from '../toolbox/tool-list.ts'

/** What a model would be given now. No model is asked. */
export interface Preview {
  /** What would be sent, with an empty message. Rejects with `WrapError` and `StorageError`. */
  prompt(query: ModelQuery): Promise<Prompt>
  /** Compiles a room script and composes a trial prompt with it. Rejects with `WrapError` and `StorageError`. */
  checkScript(source: string, query: ModelQuery): Promise<void>
  /** Every tool, whether it is in scope, and what it costs. */
  readonly tools: ListTools
}

/** For whom, where and for which model. */
type ModelQuery = ScopeQuery & { readonly model: ModelSettings }

export function createPreview(
  scopedTools: FindScopedTools,
  snapshots: Snapshots,
  composer: Pick<Composer, 'compose' | 'check' | 'count'>,
): Preview {
  const gather = async (query: ModelQuery): Promise<Snapshot> =>
    await snapshots.gather({ ...query, reserve: 0 }, await scopedTools(query))
  return {
    prompt: async (query) => await composer.compose(await gather(query)),
    checkScript: async (source, query) => await composer.check(source, await gather(query)),
    tools: createToolList(scopedTools, composer),
  }
}
