import type { Snapshots } from '../prompt/gather-snapshot.ts'
import type { Composer } from '../prompt/ports.ts'
import type { Prompt } from '../prompt/prompt.ts'
import type { Snapshot } from '../prompt/snapshot.ts'
import type { FindScopedTools, ScopeQuery } from '../toolbox/scoped-tools.ts'
import { createToolList, type ToolList } from '../toolbox/tool-list.ts'
import type { KnownModels } from './known-models.ts'
import type { ConfiguredModel } from './ports.ts'

/** What a model would be given now. No model is asked. */
export interface Preview {
  /** What would be sent, with an empty message. Rejects with `WrapError` and `StorageError`. */
  prompt(query: ModelQuery): Promise<Prompt>
  /** As `Composer.check`, with the room as it is. Rejects with `WrapError` and `StorageError`. */
  checkScript(source: string, query: ModelQuery, print: (line: string) => void): Promise<void>
  /** Every tool, whether it is in scope, and what it costs. Rejects with `StorageError` and `WrapError`. */
  tools(query: Omit<ModelQuery, 'model'> & Partial<ModelQuery>): Promise<ToolList>
  /** A line for each of these models that takes no tools, with the reason. Rejects with `StorageError`. */
  withoutTools(models: readonly ConfiguredModel[]): Promise<readonly string[]>
}

/** For whom, where and for which model. */
type ModelQuery = Omit<ScopeQuery, 'model'> & { readonly model: ConfiguredModel }

export function createPreview(
  scopedTools: FindScopedTools,
  snapshots: Snapshots,
  composer: Pick<Composer, 'compose' | 'check' | 'count'>,
  known: Pick<KnownModels, 'settingsOf' | 'lastKnown'>,
): Preview {
  async function gather({ model, ...query }: ModelQuery): Promise<Snapshot> {
    const settled = { ...query, model: await known.settingsOf(model) }
    return await snapshots.gather({ ...settled, reserve: 0 }, await scopedTools(settled))
  }
  const list = createToolList(scopedTools, composer)
  return {
    prompt: async (query) => await composer.compose(await gather(query)),
    checkScript: async (source, query, print) => await composer.check(source, await gather(query), print),
    tools: async ({ model, ...query }) =>
      await list(model ? { ...query, model: await known.lastKnown(model) } : query),
    async withoutTools(models) {
      const settings = await Promise.all(models.map(known.lastKnown))
      return settings.flatMap(({ name, lacks }) =>
        lacks?.tools === undefined ? [] : [`@${name} has no tools: ${lacks.tools}`],
      )
    },
  }
}
