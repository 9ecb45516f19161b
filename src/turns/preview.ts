import { Refusal } from '../chat/errors.ts'
import type { Person } from '../chat/people/person.ts'
import type { Room } from '../chat/room.ts'
import type { Snapshots } from '../prompt/gather-snapshot.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import { type Composer, isOverBudget, WrapError } from '../prompt/ports.ts'
import type { Prompt } from '../prompt/prompt.ts'
import type { CatalogueTool, Snapshot } from '../prompt/snapshot.ts'
import { type FindScopedTools, refusedParameter, type ScopeQuery } from '../toolbox/scoped-tools.ts'
import { countTools, createToolList, type ToolCount, type ToolList } from '../toolbox/tool-list.ts'
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
  /** How many tools are in scope, at once: nothing is composed or counted. Rejects with `StorageError`. */
  toolCount(query: Omit<ModelQuery, 'model'> & Partial<ModelQuery>): Promise<ToolCount>
  /**
   * A line for each of these models that takes no tools, and for each of the visible tools that one of them does not take,
   * with the reason. Rejects with `StorageError`.
   */
  withoutTools(models: readonly ConfiguredModel[], list: ToolList): Promise<readonly string[]>
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
    toolCount: async ({ model, ...query }) =>
      await countTools(scopedTools, model ? { ...query, model: await known.lastKnown(model) } : query),
    async withoutTools(models, { tools }) {
      const settings = await Promise.all(models.map(known.lastKnown))
      const visible = tools.flatMap((one) => (one.visible ? one.tool : []))
      return settings.flatMap((model) => notTaken(model, visible))
    },
  }
}

function notTaken(
  { name, lacks, framing }: ModelSettings,
  tools: readonly CatalogueTool[],
): readonly string[] {
  if (lacks?.tools !== undefined) return [`@${name} has no tools: ${lacks.tools}`]
  const refused = tools.flatMap((tool) => {
    const reason = refusedParameter(framing, tool)
    return reason === undefined ? [] : [`@${name} is not offered ${tool.name}: ${reason}`]
  })
  const more = refused.length - MAX_TOLD_TOOLS
  return more > 0 ? [...refused.slice(0, MAX_TOLD_TOOLS), `@${name} is not offered ${more} more`] : refused
}

/** Tools of which `/tools` says that a model does not take them, for each model. */
const MAX_TOLD_TOOLS = 10

/** A script that somebody wants to try in a room. */
export interface ScriptTrial {
  readonly room: Room
  readonly person: Person
  readonly source: string
  /** Gets each line that the script prints, once where it prints the same for all models. */
  readonly print: (line: string) => void
}

/**
 * Compiles a script and composes a trial prompt with it for each model, one after the other: a script that fits into one
 * window may not fit into another. Goes on where it does not fit, and tells of all such models; one that does not even have
 * space for the bundled layers is only printed, since no script would pass. Rejects with `Refusal` where there is no model,
 * with `WrapError`, which names the models where there are several, and with `StorageError`.
 */
export async function checkWithAll(
  { room, person, source, print }: ScriptTrial,
  models: readonly ConfiguredModel[],
  preview: Pick<Preview, 'checkScript'>,
): Promise<void> {
  if (models.length === 0) throw new Refusal('no model is enabled here; see /models')
  const isTooSmall = async (model: ConfiguredModel): Promise<boolean> =>
    isOverBudget(await failureOf(preview.checkScript(BUNDLED, { room, requester: person, model }, () => {})))
  const tooLong: string[] = []
  let shown: string | undefined
  for (const model of models) {
    const name = models.length > 1 ? `@${model.settings.name}: ` : ''
    const lines: string[] = []
    const query = { room, requester: person, model }
    const failure = await failureOf(preview.checkScript(source, query, (line) => void lines.push(line)))
    const text = lines.join('\n')
    if (text !== shown) for (const line of lines) print(shown === undefined ? line : `${name}${line}`)
    shown = text
    if (!failure) continue
    if (!isOverBudget(failure)) throw new WrapError(failure.reason, `${name}${failure.message}`)
    if (models.length > 1 && (await isTooSmall(model)))
      print(`! ${name}${failure.message}; its window is too small for the bundled layers as well`)
    else tooLong.push(`${name}${failure.message}`)
  }
  if (tooLong.length > 0) throw new WrapError('budget', tooLong.join('; '))
}

/** A script that changes nothing of the bundled layers. */
const BUNDLED = ''

/** What an attempt failed with; undefined where it did not. Rejects where that is no failure of a prompt. */
async function failureOf(attempt: Promise<void>): Promise<WrapError | undefined> {
  try {
    await attempt
    return undefined
  } catch (error) {
    if (error instanceof WrapError) return error
    throw error
  }
}
