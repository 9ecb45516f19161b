import type { Entry, RoomName } from '../words/entry.ts'
import { Refusal } from '../words/errors.ts'
import type { Slot, Slots, Room } from '../chat/index.ts'
import { asPlainMember, type Person } from '../words/person.ts'
import type { ToolProgress } from '../words/tool-progress.ts'
import type { Log } from '../base/environment.ts'
import { aborted } from '../base/jobs/waiting.ts'
import type { ReportDoing } from '../wrap/toolbox/index.ts'
import type { PermissionProvider } from '../tools/index.ts'
import { usesTokens, type CheckQuotas } from './billing.ts'
import type { ModelStatus } from './model-list.ts'
import type { ConfiguredModel } from '../wrap/loop/index.ts'
import { createPanel, type Panel, type PanelLimits, type PanelRequest } from './panels/panel.ts'
import { labelOf, type Personas } from './personas.ts'
import type { Preview } from './preview.ts'
import { remoteTurns, takeTurnSlot, type CalledTurn, type QueueLimits, type TurnAtWork } from './queue.ts'
import type { RoutineRun } from './routines/index.ts'
import { TurnStopped } from './turn-end.ts'
import type { TurnLog } from './turn-log.ts'
import type { AnsweredEntry, RunTurn, TurnRequest } from './turn.ts'

export interface Mention {
  readonly room: Room
  readonly requester: Person
  /** The name of a model, or of a persona of the room. */
  readonly model: string
  readonly message: AnsweredEntry
  /** See `TurnRequest`. */
  readonly permissions?: PermissionProvider
  readonly routine?: RoutineRun
  /** The panel of which `model` writes the answer, or is the first. */
  readonly panel?: Panel
}

/** A turn of this server that runs or waits for its slot. */
export interface RunningTurn extends TurnAtWork {
  /** Resolves to the turn's last entry (`TurnEnd`). Rejects with `StorageError` only. */
  readonly done: Promise<Entry>
}

interface TurnsParts {
  /** The models that can be called now, in the order of the config. A running turn keeps its model. */
  readonly models: () => readonly ConfiguredModel[]
  readonly listModels: (viewer?: Person) => Promise<readonly ModelStatus[]>
  readonly preview: Preview
  readonly personas: Personas
  readonly checkQuotas: CheckQuotas
  readonly slots: Slots
  readonly limits: QueueLimits & PanelLimits
  readonly turnLog: Pick<TurnLog, 'next' | 'begin'>
  /** Runs a turn and what follows it; see after-turn.ts. */
  readonly runWithFollowUps: RunTurn
  readonly log: Log
}

/** Starts, lists and stops the models' turns in all rooms, and previews their prompts. */
export class Turns implements AsyncDisposable {
  readonly #parts: TurnsParts
  readonly #active = new Map<RunningTurn, Mention>()
  #closing = false
  readonly models: TurnsParts['listModels']
  readonly personas: Personas
  readonly prompt: Preview['prompt']
  readonly checkScript: Preview['checkScript']
  readonly scope: Preview['scope']
  readonly toolCount: Preview['toolCount']

  constructor(parts: TurnsParts) {
    this.#parts = parts
    this.models = parts.listModels
    this.personas = parts.personas
    this.prompt = parts.preview.prompt
    this.checkScript = parts.preview.checkScript
    this.scope = parts.preview.scope
    this.toolCount = parts.preview.toolCount
  }

  /** Rejects with `Refusal` (no such model, no right to speak, quota, queue, stopping) or `StorageError`. */
  async start(asked: Mention): Promise<RunningTurn> {
    const mention = withRightsOfRun(asked)
    const { checkQuotas, turnLog, slots, limits, log } = this.#parts
    const { room, requester } = mention
    room.needVoice(requester)
    const found = await this.personas.find(room.name, mention.model)
    const { settings } = found.model
    if (usesTokens(settings)) await checkQuotas(room.name, requester)
    this.#refuseIfClosing()
    const called = createCalledTurn(mention, turnLog.next())
    const stop = new AbortController()
    const cancel = (reason = `@${called.model} was stopped`): void => stop.abort(new TurnStopped(reason))
    const slot = await takeTurnSlot(slots, called, limits, cancel, mention.panel && 'panel')
    if (this.#closing) await slot.leave()
    this.#refuseIfClosing()
    const { id, startedAt, message } = called
    const facts = { room: room.name, model: labelOf({ ...found, settings }), message, requester }
    const recorder = turnLog.begin(facts, { id, startedAt })
    const turn = this.#launch(called, { ...mention, ...found, recorder }, slot, {
      cancel,
      signal: stop.signal,
    })
    this.#active.set(turn, mention)
    // A ban after `needVoice` and before `#active.set` did not find this turn.
    void stopIfRemoved(turn, mention).catch((error: unknown) =>
      log.error({ turn: turn.id, error }, 'could not check whether a turn may go on'),
    )
    await recorder.begun.catch(async (error: unknown) => {
      // The caller is told only after the turn has left `#active`.
      await turn.done.catch(() => undefined)
      throw error
    })
    return turn
  }

  /** Rejects with `Refusal` or `StorageError`. */
  async createPanel(room: RoomName, request: PanelRequest): Promise<Panel> {
    return await createPanel(request, (name) => this.personas.find(room, name), this.#parts.limits)
  }

  #refuseIfClosing(): void {
    if (this.#closing) throw new Refusal('the server is stopping; ask again when it is back')
  }

  #launch(
    called: CalledTurn,
    request: Omit<TurnRequest, 'report'>,
    slot: Slot,
    stop: { readonly signal: AbortSignal; readonly cancel: (reason?: string) => void },
  ): RunningTurn {
    const { runWithFollowUps, log } = this.#parts
    let doing = 'waiting'
    let progress: ToolProgress | undefined
    const report: ReportDoing = (what, share) => {
      doing = what
      progress = share
      slot.report(what, share)
    }
    const run = async (): Promise<Entry> => {
      try {
        await slot.ready
        doing = 'thinking'
        const { last } = await runWithFollowUps({ ...request, report }, stop.signal)
        return last
      } finally {
        void slot.leave()
        this.#active.delete(turn)
      }
    }
    stop.signal.addEventListener('abort', () => slot.giveUp())
    if (stop.signal.aborted) slot.giveUp()
    const done = run()
    // Logs the failure, because nobody may be awaiting `done`.
    done.catch((error: unknown) => {
      log.error({ turn: called.id, error }, 'a turn could not be recorded')
      request.recorder.endNotStored()
    })
    const turn: RunningTurn = {
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
    return turn
  }

  /** Returns the turns of one room or of all rooms, on all servers, in the order of their start. */
  running(room?: RoomName): readonly TurnAtWork[] {
    const here = [...this.#active.keys()].filter((turn) => room === undefined || turn.room === room)
    const remote = remoteTurns(this.#parts.slots, room)
    if (remote.length === 0) return here
    return [...here, ...remote].toSorted((a, b) => a.startedAt - b.startedAt)
  }

  /** Stops this server's turns whose requesters were removed or silenced. Rejects with `StorageError`. */
  async stopForbidden(): Promise<void> {
    for (const [turn, mention] of this.#active) await stopIfRemoved(turn, mention)
  }

  countHere(): number {
    return this.#active.size
  }

  names(): readonly string[] {
    return this.#parts.models().map(({ settings }) => settings.name)
  }

  /** Refuses new turns. Resolves when all running turns have ended or the signal aborts. Never rejects. */
  async finish(signal: AbortSignal): Promise<void> {
    this.#closing = true
    await Promise.race([this.#allEnded(), aborted(signal)])
  }

  /** Stops every turn, and waits until it is recorded. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true
    for (const turn of this.#active.keys()) turn.cancel(`@${turn.model} was stopped: the server is stopping`)
    await this.#allEnded()
  }

  readonly #allEnded = (): Promise<unknown> =>
    Promise.allSettled([...this.#active.keys()].map((turn) => turn.done))
}

function withRightsOfRun(mention: Mention): Mention {
  if (mention.routine?.rights !== 'member') return mention
  return { ...mention, requester: asPlainMember(mention.requester, mention.room.name) }
}

async function stopIfRemoved(turn: RunningTurn, { room, requester }: Mention): Promise<void> {
  const why = await room.whyNoWork(requester)
  if (why !== undefined) turn.cancel(`@${turn.model} was stopped: ${why}`)
}

const createCalledTurn = (
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
