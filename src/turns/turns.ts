import type { MessageEntry, RoomName, TurnId } from '../chat/entry.ts'
import { Refusal } from '../chat/errors.ts'
import type { Person } from '../chat/person.ts'
import type { Room } from '../chat/room.ts'
import type { PermissionProvider } from '../tools/tool.ts'
import type { Composer } from '../prompt/ports.ts'
import type { Prompt } from '../prompt/prompt.ts'
import type { Snapshot } from '../prompt/snapshot.ts'
import { launch, type RunningTurn } from './launch.ts'
import { listModels, type ModelStatus } from './model-list.ts'
import type { ConfiguredModel } from './ports.ts'
import { createPlaces, type PlaceLimits } from './turn-queue.ts'
import { gatherSnapshot } from '../prompt/gather-snapshot.ts'
import { createToolList, type ToolList } from '../toolbox/tool-list.ts'
import type { TurnParts } from './turn.ts'
import { viewTools } from '../toolbox/scoped-tools.ts'

export type { RunningTurn }

/** A model was called in a room. */
export interface Mention {
  readonly room: Room
  readonly requester: Person
  /** The model's name. */
  readonly model: string
  readonly message: MessageEntry
  /** Instead of asking in the room: for a script, whose caller cannot be asked. */
  readonly permissions?: PermissionProvider
}

/** Models' turns in all rooms, and what a model would be given. */
export interface Turns extends AsyncDisposable {
  /** Starts a turn, or lets it wait. Rejects with `Refusal`: no such model, too many waiting, stopping; or `StorageError`. */
  start(mention: Mention): Promise<RunningTurn>
  /** Turns of a room, in order of their start. */
  running(room: RoomName): readonly RunningTurn[]
  /** Names of the models that can be called, in order of the config. */
  names(): readonly string[]
  /** All configured models with what they have spent. Rejects with `StorageError`. */
  models(): Promise<readonly ModelStatus[]>
  /** What a model would be sent now, if it were asked nothing. Rejects with `Refusal`, `WrapError`, `StorageError`. */
  prompt(query: { readonly room: Room; readonly person: Person; readonly model: string }): Promise<Prompt>
  /** Compiles a room script and composes a trial prompt with it. Rejects with `WrapError` and `StorageError`. */
  checkScript(trial: { readonly room: Room; readonly person: Person; readonly source: string }): Promise<void>
  /** Every tool, whether this person's model (the first one when none is named) has it here, and what it costs. */
  scope(query: { readonly room: Room; readonly person: Person; readonly model?: string }): Promise<ToolList>
}

/** What turns are made from. */
export interface TurnsParts extends Omit<TurnParts, 'modelNames' | 'limits'> {
  readonly models: readonly ConfiguredModel[]
  readonly composer: Pick<Composer, 'compose' | 'count' | 'check'>
  readonly limits: TurnParts['limits'] & PlaceLimits
}

/** Disposing stops every turn, waits until it is recorded, and starts no more. */
export function createTurns(options: TurnsParts): Turns {
  const enabled = options.models.filter((model) => model.settings.enabled)
  const parts = { ...options, models: enabled, modelNames: enabled.map((model) => model.settings.name) }
  const listTools = createToolList(options)
  const takePlace = createPlaces(options.limits)
  const active = new Set<RunningTurn>()
  let closing = false

  function modelCalled(name: string): ConfiguredModel {
    const model = enabled.find((one) => one.settings.name === name)
    if (!model) throw new Refusal(`there is no model called @${name.slice(0, 40)}; see models`)
    return model
  }

  function anyModel(): ConfiguredModel {
    if (enabled[0]) return enabled[0]
    throw new Refusal('no model is enabled here; see models')
  }

  const activeIn = (room: RoomName): readonly RunningTurn[] =>
    [...active].filter((turn) => turn.room === room)

  /** What a prompt would be made from now, with nothing to be answered. */
  async function snapshotFor(
    room: Room,
    requester: Person,
    { settings }: ConfiguredModel,
  ): Promise<Snapshot> {
    const viewer = { room, requester, model: settings }
    return await gatherSnapshot(parts, { ...viewer, reserve: 0 }, await viewTools(parts, viewer))
  }

  return {
    async start({ model: name, ...mention }) {
      const { room, requester } = mention
      if (closing) throw new Refusal('the server is stopping; ask again when it is back')
      const job = { ...mention, id: options.newId() as TurnId, model: modelCalled(name) }
      const place = takePlace(room.name, requester.name)
      const turn = launch(job, parts, place, () => active.delete(turn))
      active.add(turn)
      await turn.begun
      return turn
    },
    running: activeIn,
    names: () => parts.modelNames,
    models: () => listModels(options.models, options.turns, options.calibrations),
    prompt: async ({ room, person, model }) =>
      await parts.composer.compose(await snapshotFor(room, person, modelCalled(model))),
    checkScript: async ({ room, person, source }) =>
      await parts.composer.check(source, await snapshotFor(room, person, anyModel())),
    async scope({ room, person, model: name }) {
      const model = name === undefined ? enabled[0] : modelCalled(name)
      return await listTools({ room, requester: person, ...(model ? { model: model.settings } : {}) })
    },
    async [Symbol.asyncDispose]() {
      closing = true
      const running = [...active]
      for (const turn of running) turn.cancel(`@${turn.model} was stopped: the server is stopping`)
      await Promise.allSettled(running.map((turn) => turn.done))
    },
  }
}
