import { Refusal } from '../words/errors.ts'
import type { Person } from '../words/person.ts'
import type { Room } from '../chat/index.ts'
import type { Workspaces } from '../tools/index.ts'
import type { Snapshots } from './gather-snapshot.ts'
import { MessagePictures, type PictureLimits } from './pictures.ts'
import {
  type ModelSettings,
  isOverBudget,
  WrapError,
  type Composer,
  type Prompt,
  type Snapshot,
} from '../wrap/index.ts'
import type { AskedModel, Personas } from './personas.ts'
import type { FindScopedTools } from './scoped-tools.ts'
import { countTools, createToolList, type ToolCount, type ToolList } from './tool-list.ts'
import type { ModelFactsTable } from './model-facts.ts'
import type { ConfiguredModel } from '../wrap/loop/index.ts'

interface PersonInRoom {
  readonly room: Room
  readonly person: Person
}

interface PromptPreview extends PersonInRoom {
  readonly model: string
  /** What the person would say; an empty message if absent. */
  readonly text?: string
}

interface ScriptTrial extends PersonInRoom {
  readonly source: string
  /** Called with each line that the script prints, once if it prints the same for all models. */
  readonly print: (line: string) => void
}

interface PreviewParts {
  readonly models: () => readonly ConfiguredModel[]
  readonly personas: Pick<Personas, 'find'>
  readonly scopedTools: FindScopedTools
  readonly snapshots: Snapshots
  readonly composer: Pick<Composer, 'compose' | 'check' | 'count'>
  readonly modelFacts: Pick<ModelFactsTable, 'settingsOf' | 'lastKnown'>
  readonly workspaces: Workspaces
  readonly limits: PictureLimits
}

export type Preview = ReturnType<typeof createPreview>

/** Previews what a model would be sent now, without asking it. All methods reject with `StorageError` too. */
export function createPreview(parts: PreviewParts) {
  const { models, personas, scopedTools, snapshots, composer, modelFacts, workspaces, limits } = parts
  const list = createToolList(scopedTools, composer)

  async function gather({ model, ...as }: AskedModel, { room, person }: PersonInRoom): Promise<Snapshot> {
    const query = { room, requester: person, model: await modelFacts.settingsOf(model), ...as }
    return await snapshots.gather({ ...query, reserve: 0 }, await scopedTools(query))
  }

  async function promptFor({ model: label, text, room, person }: PromptPreview): Promise<Prompt> {
    const { model, ...as } = await personas.find(room.name, label)
    const settings = await modelFacts.settingsOf(model)
    const query = { room, requester: person, model: settings, ...as }
    const scoped = await scopedTools(query)
    const unseen: string[] = []
    const asked = { text: text ?? '', settings, tell: (line: string) => void unseen.push(line) }
    const pictures = new MessagePictures(asked, workspaces.of(room.name), limits)
    const message = text === undefined ? {} : { message: { author: person.name, text } }
    const prompt = await pictures.composeWith(scoped, async (shown) => {
      const request = { ...query, ...message, reserve: 0, ...(shown && { shown }) }
      const composed = await composer.compose(await snapshots.gather(request, scoped))
      return { ...composed, ...(shown && shown.pictures.length > 0 && { pictures: shown.pictures }) }
    })
    return { ...prompt, warnings: [...prompt.warnings, ...unseen] }
  }

  const firstModel = (): Partial<AskedModel> => {
    const [model] = models()
    return model ? { model } : {}
  }

  const scopeQuery = ({ room, person }: PersonInRoom, { model, ...as } = firstModel()) => ({
    room,
    requester: person,
    ...as,
    ...(model ? { model: modelFacts.lastKnown(model) } : {}),
  })

  return {
    /** Resolves to the prompt of the next request. Rejects with `Refusal` and `WrapError`. */
    prompt: promptFor,
    /** Lists every tool for the named or the first model. Rejects with `Refusal` and `WrapError`. */
    async scope({ model, ...asked }: PersonInRoom & { readonly model?: string }): Promise<ToolList> {
      const named = model === undefined ? undefined : await personas.find(asked.room.name, model)
      const tools = await list(scopeQuery(asked, named))
      const lacking = models().flatMap((one) => withoutTools(modelFacts.lastKnown(one)))
      return { ...tools, warnings: [...tools.warnings, ...lacking] }
    },
    /** Counts the first model's tools in this room. Counts no tokens, so it is fast. */
    toolCount: async (asked: PersonInRoom): Promise<ToolCount> =>
      await countTools(scopedTools, scopeQuery(asked)),
    /**
     * Compiles a script and composes a trial prompt with it for each model, since windows differ. Rejects
     * with `Refusal` if there is no model, and with `WrapError`, which names every model without space for
     * it. A model without space for the bundled layers either is only printed.
     */
    async checkScript(trial: ScriptTrial): Promise<void> {
      const checkOne: CheckScript = async (source, model, print) =>
        await composer.check(source, await gather({ model }, trial), print)
      await checkWithAll(trial, models(), checkOne)
    },
  }
}

const withoutTools = ({ name, lacks }: ModelSettings): readonly string[] =>
  lacks?.tools === undefined ? [] : [`@${name} has no tools: ${lacks.tools}`]

type CheckScript = (source: string, model: ConfiguredModel, print: (line: string) => void) => Promise<void>

/** An empty script, which keeps the bundled layers. */
const BUNDLED = ''

async function checkWithAll(
  { source, print }: ScriptTrial,
  models: readonly ConfiguredModel[],
  check: CheckScript,
): Promise<void> {
  if (models.length === 0) throw new Refusal('no model is enabled here; see /models')
  const tooLong: string[] = []
  let shown: string | undefined
  for (const model of models) {
    const name = models.length > 1 ? `@${model.settings.name}: ` : ''
    const lines: string[] = []
    const failure = await failureOf(check(source, model, (line) => void lines.push(line)))
    const text = lines.join('\n')
    if (text !== shown) for (const line of lines) print(shown === undefined ? line : `${name}${line}`)
    shown = text
    if (!failure) continue
    if (!isOverBudget(failure)) throw new WrapError(failure.reason, `${name}${failure.message}`)
    if (models.length > 1 && isOverBudget(await failureOf(check(BUNDLED, model, () => {}))))
      print(`! ${name}${failure.message}; its window is too small for the bundled layers as well`)
    else tooLong.push(`${name}${failure.message}`)
  }
  if (tooLong.length > 0) throw new WrapError('budget', tooLong.join('; '))
}

async function failureOf(attempt: Promise<void>): Promise<WrapError | undefined> {
  try {
    await attempt
    return undefined
  } catch (error) {
    if (error instanceof WrapError) return error
    throw error
  }
}
