import type { Entry, RoomName } from '../chat/entry.ts'
import { Refusal } from '../chat/errors.ts'
import type { Slot, Slots } from '../chat/peers.ts'
import type { Person } from '../chat/people/person.ts'
import type { Log } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import { aborted } from '../lib/when-aborted.ts'
import type { Prompt } from '../prompt/prompt.ts'
import type { ToolCount, ToolList } from '../toolbox/tool-list.ts'
import type { ReportDoing } from '../toolbox/run-tool.ts'
import type { ToolProgress } from '../chat/tool-progress.ts'
import type { PermissionProvider } from '../tools/context.ts'
import { checkWithAll, type Preview, type ScriptTrial } from './preview.ts'
import { TurnStopped } from './turn-end.ts'
import type { ModelStatus } from './model-list.ts'
import type { ConfiguredModel } from './ports.ts'
import { remoteTurns, takeTurnSlot, type CalledTurn, type QueueLimits, type TurnAtWork } from './queue.ts'
import type { TurnLog } from './turn-log.ts'
import { usesTokens, type CheckQuotas } from './billing.ts'
import type { AnsweredEntry, RunTurn, TurnRequest } from './turn.ts'

/** Somebody mentioned a model in a room. */
export interface Mention {
  readonly room: Room
  readonly requester: Person
  /** The model's name. */
  readonly model: string
  /** What it answers: what somebody said, or another model's reply. */
  readonly message: AnsweredEntry
  /** Decides in place of the people in the room: for a script, whose caller cannot be asked. */
  readonly permissions?: PermissionProvider
}

/** A turn that was accepted here. It runs, or waits for its slot. */
export interface RunningTurn extends TurnAtWork {
  /** Resolves to the turn's last entry: its reply, or the notice that ends it. Rejects with `StorageError` only. */
  readonly done: Promise<Entry>
}

/** The turns of models in all rooms, and what a model would be given. */
export interface Turns extends AsyncDisposable {
  /**
   * Starts a turn, or lets it wait. Rejects with `Refusal` (no such model, a quota that is used up, too many waiting,
   * stopping) or `StorageError`.
   */
  start(mention: Mention): Promise<RunningTurn>
  /** The turns of a room, or of all rooms where none is named, in order of their start; those of other servers, too. */
  running(room?: RoomName): readonly TurnAtWork[]
  /** Stops those of this server whose requesters were put out or silenced. Rejects with `StorageError`. */
  stopThoseOut(): Promise<void>
  /** How many of them are at work on this server. */
  countHere(): number
  /** Names of the models that can be called, in order of the config. */
  names(): readonly string[]
  /**
   * All configured models, and what they have used in the rooms that this person may see: nothing without a viewer.
   * Rejects with `StorageError`.
   */
  models(viewer?: Person): Promise<readonly ModelStatus[]>
  /** What a model would be sent now, with an empty message. Rejects with `Refusal`, `WrapError`, `StorageError`. */
  prompt(query: { readonly room: Room; readonly person: Person; readonly model: string }): Promise<Prompt>
  /** Tries a room script with every model (turns/scripts/check-script.ts). Rejects with `Refusal`, `WrapError`, `StorageError`. */
  checkScript(trial: ScriptTrial): Promise<void>
  /**
   * Every tool, whether this person's model has it here, and what it costs. Asks for the first model when none is named.
   * Rejects with `Refusal`, `WrapError`, `StorageError`.
   */
  scope(query: { readonly room: Room; readonly person: Person; readonly model?: string }): Promise<ToolList>
  /** Starts no more, and resolves when all that run have ended, or the signal is aborted. Never rejects. */
  finish(signal: AbortSignal): Promise<void>
  /** How many tools the first model has here, at once: no tokens are counted. Rejects with `StorageError`. */
  toolCount(query: { readonly room: Room; readonly person: Person }): Promise<ToolCount>
}

/** What turns are made from. */
export interface TurnsParts {
  /** Gives the models that can be called now, in order of the config. A turn keeps the one that it began with. */
  readonly models: () => readonly ConfiguredModel[]
  readonly listModels: Turns['models']
  readonly preview: Preview
  readonly checkQuotas: CheckQuotas
  readonly slots: Slots
  readonly limits: QueueLimits
  readonly turnLog: Pick<TurnLog, 'next' | 'begin'>
  readonly runTurn: RunTurn
  readonly log: Log
}

/** Disposing stops every turn, waits until it is recorded, and starts no more. */
export function createTurns({ models, listModels, preview, ...parts }: TurnsParts): Turns {
  const active = new Map<RunningTurn, Mention>()
  let closing = false

  function modelCalled(name: string): ConfiguredModel {
    const model = models().find(({ settings }) => settings.name === name)
    if (model) return model
    throw new Refusal(`there is no model called @${name.slice(0, 40)}; see /models`)
  }

  function refuseIfClosing(): void {
    if (closing) throw new Refusal('the server is stopping; ask again when it is back')
  }

  async function stopIfOut(turn: RunningTurn, { room, requester }: Mention): Promise<void> {
    const why = await room.whyNoWork(requester)
    if (why !== undefined) turn.cancel(`@${turn.model} was stopped: ${why}`)
  }

  return {
    async start(mention) {
      const model = modelCalled(mention.model)
      mention.room.needVoice(mention.requester)
      const room = mention.room.name
      const { requester } = mention
      if (usesTokens(model.settings)) await parts.checkQuotas(room, requester)
      refuseIfClosing()
      const called = calledBy(mention, parts.turnLog.next())
      const stop = createStop(called)
      const slot = await takeTurnSlot(parts.slots, called, parts.limits, stop.cancel)
      if (closing) await slot.leave()
      refuseIfClosing()
      const recorder = parts.turnLog.begin({ ...called, requester })
      const turn = launch(called, { ...mention, model, recorder }, { slot, stop }, parts, () =>
        active.delete(turn),
      )
      active.set(turn, mention)
      // A ban of this moment has not found it.
      void stopIfOut(turn, mention).catch((error: unknown) =>
        parts.log.error({ turn: turn.id, error }, 'it is not known whether a turn may go on'),
      )
      await recorder.begun.catch(async (error: unknown) => {
        // It is no running turn any more when the caller is told.
        await turn.done.catch(() => undefined)
        throw error
      })
      return turn
    },
    running(room) {
      const here = [...active.keys()].filter((turn) => room === undefined || turn.room === room)
      const remote = remoteTurns(parts.slots, room)
      if (remote.length === 0) return here
      return [...here, ...remote].toSorted((a, b) => a.startedAt - b.startedAt)
    },
    async stopThoseOut() {
      for (const [turn, mention] of active) await stopIfOut(turn, mention)
    },
    countHere: () => active.size,
    names: () => models().map(({ settings }) => settings.name),
    models: listModels,
    prompt: async ({ room, person, model }) =>
      await preview.prompt({ room, requester: person, model: modelCalled(model) }),
    checkScript: async (trial) => await checkWithAll(trial, models(), preview),
    async scope({ room, person, model: name }) {
      const model = name === undefined ? models()[0] : modelCalled(name)
      const list = await preview.tools({ room, requester: person, ...(model ? { model } : {}) })
      return { ...list, warnings: [...list.warnings, ...(await preview.withoutTools(models(), list))] }
    },
    toolCount: async ({ room, person }) => {
      const [model] = models()
      return await preview.toolCount({ room, requester: person, ...(model ? { model } : {}) })
    },
    async finish(signal) {
      closing = true
      await Promise.race([Promise.allSettled([...active.keys()].map((turn) => turn.done)), aborted(signal)])
    },
    async [Symbol.asyncDispose]() {
      closing = true
      const running = [...active.keys()]
      for (const turn of running) turn.cancel(`@${turn.model} was stopped: the server is stopping`)
      await Promise.allSettled(running.map((turn) => turn.done))
    },
  }
}

const calledBy = (
  { room, requester, model, message }: Mention,
  begun: ReturnType<TurnLog['next']>,
): CalledTurn => ({
  ...begun,
  room: room.name,
  model,
  get requester() {
    return requester.name
  },
  requesterId: requester.id,
  message: message.id,
})

/** How a turn is stopped, also while it waits. */
interface Stop {
  readonly signal: AbortSignal
  readonly cancel: (reason?: string) => void
}

function createStop({ model }: CalledTurn): Stop {
  const stop = new AbortController()
  return {
    signal: stop.signal,
    cancel: (reason = `@${model} was stopped`) => stop.abort(new TurnStopped(reason)),
  }
}

/** Lets a turn wait for its slot, then runs it. `ended` is called before `done` settles. */
function launch(
  called: CalledTurn,
  job: Omit<TurnRequest, 'report'>,
  { slot, stop }: { readonly slot: Slot; readonly stop: Stop },
  { runTurn, log }: Pick<TurnsParts, 'runTurn' | 'log'>,
  ended: () => void,
): RunningTurn {
  let doing = 'waiting'
  let progress: ToolProgress | undefined

  const report: ReportDoing = (what, share) => {
    doing = what
    progress = share
    slot.report(what, share)
  }

  async function run(): Promise<Entry> {
    try {
      await slot.ready
      doing = 'thinking'
      const { last } = await runTurn({ ...job, report }, stop.signal)
      return last
    } finally {
      void slot.leave()
      ended()
    }
  }

  stop.signal.addEventListener('abort', () => slot.giveUp())
  if (stop.signal.aborted) slot.giveUp()
  const done = run()
  // Whoever waits for the turn sees its failure. The log must see it where nobody waits.
  done.catch((error: unknown) => {
    log.error({ turn: called.id, error }, 'a turn could not be recorded')
    job.recorder.lost()
  })
  return {
    ...called,
    get requester() {
      return called.requester
    },
    done,
    doing: () => doing,
    progress: () => progress,
    cancel: stop.cancel,
    ended: async () => await Promise.allSettled([done]),
  }
}
