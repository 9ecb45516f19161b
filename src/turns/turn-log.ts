import type { TurnId, TurnOutcome, Usage } from '../chat/entry.ts'
import { SYSTEM } from '../chat/people/names.ts'
import type { Clock, MonotonicClock } from '../chat/ports.ts'
import type { ToolDefinition } from '../prompt/prompt.ts'
import type { Bill, OpenBill, Requester } from './billing.ts'
import type { ModelRequest, SentStep, TurnRecord, TurnStore } from './ports.ts'

/** Whose turn it is; the server's own where nobody asks. */
type TurnFacts = Pick<TurnRecord, 'room' | 'model' | 'parent' | 'message'> & {
  readonly requester?: Requester
}

/** Stores turns while they run. */
export interface TurnLog {
  /** The id of a turn that is to be begun now. */
  next(): Pick<TurnRecord, 'id' | 'startedAt'>
  begin(
    turn: TurnFacts & Pick<TurnRecord, 'id' | 'startedAt'> & { readonly requester: Requester },
  ): TurnRecorder
  /**
   * A sub-turn is stored as cut off until it ends. After a crash the room is told only of the turn that the mention
   * started. The record of that turn has the sum of what both used; the charges are those of each.
   */
  beginSubTurn(turn: TurnFacts & { readonly requester: Requester; readonly parent: string }): TurnRecorder
  /** What the server itself asks a model for: likewise stored as cut off until it ends, and with what it cost. */
  beginInBackground(turn: Pick<TurnFacts, 'room' | 'model'>): TurnRecorder
}

/** When a turn began, and how long ago that is. */
export interface TurnTime {
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** By a clock that never goes back. */
  elapsedMs(): number
}

/** Stores one turn. All promises reject with `StorageError` only. */
export interface TurnRecorder {
  readonly id: TurnId
  readonly bill: Bill
  readonly time: TurnTime
  /** Resolves when the beginning of the turn is stored. */
  readonly begun: Promise<void>
  /** Stores a request when it is sent: the first prompt as a whole, of later requests only what is new. */
  sent(request: ModelRequest): Promise<void>
  /** Another model answers from now on. */
  handOver(model: string): Promise<void>
  /** Its end could not be stored, and is to be stored later. */
  endNotStored(): void
  end(result: { outcome: TurnOutcome; usage: Usage | undefined; error?: string }): Promise<void>
}

export function createTurnLog(
  store: Pick<TurnStore, 'begin' | 'addStep' | 'finish'>,
  openBill: OpenBill,
  newId: () => string,
  clock: Clock & MonotonicClock,
  endNotStored: (turn: TurnId) => void = () => {},
): TurnLog {
  const next: TurnLog['next'] = () => ({ id: newId() as TurnId, startedAt: clock.now() })

  function open(
    { requester, ...turn }: TurnFacts,
    { id, startedAt }: ReturnType<TurnLog['next']> = next(),
  ): TurnRecorder {
    const begunAt = clock.monotonic()
    const isSubTurn = turn.parent !== undefined
    const cut = isSubTurn || !requester ? { endedAt: startedAt, outcome: 'cut' } : {}
    let last: ModelRequest | undefined
    return {
      id,
      bill: openBill(turn.room, requester),
      time: { startedAt, elapsedMs: () => clock.monotonic() - begunAt },
      begun: store.begin({ ...turn, ...whose(requester), id, startedAt, ...cut }),
      async sent(request) {
        const before = last
        last = { ...request, messages: [...request.messages] }
        if (before) await store.addStep(id, newSince(before, last))
        else await store.finish(id, { prompt: request.prompt })
      },
      endNotStored: () => endNotStored(id),
      handOver: (model) => store.finish(id, { model }),
      async end({ usage, ...result }) {
        const spent = usage && !isSubTurn ? { usage } : {}
        await store.finish(id, { endedAt: clock.now(), ...result, ...spent })
      },
    }
  }

  return {
    next,
    begin: ({ room, model, message, requester, ...begun }) =>
      open({ room, model, message, requester }, begun),
    beginSubTurn: (turn) => open(turn),
    beginInBackground: (turn) => open(turn),
  }
}

/** A name may change before the turn is read. */
const whose = (requester: Requester | undefined): Pick<TurnRecord, 'requester' | 'person'> =>
  requester ? { requester: requester.name, person: requester.id } : { requester: SYSTEM }

function newSince(before: ModelRequest, request: ModelRequest): SentStep {
  // A message that is shortened later is another object from then on.
  const changed = before.messages.findIndex((message, index) => message !== request.messages[index])
  const kept = changed === -1 ? before.messages.length : changed
  return {
    ...(request.prompt === before.prompt ? {} : { prompt: request.prompt }),
    ...(changed === -1 ? {} : { kept }),
    messages: request.messages.slice(kept),
    ...(sameBytes(request.tools, before.tools) ? {} : { tools: request.tools }),
  }
}

const sameBytes = (a: readonly ToolDefinition[], b: readonly ToolDefinition[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

/** A request as it was sent. */
export type SentRequest = Omit<ModelRequest, 'maxOutput'>

/** Every request of a stored turn, in order; none if nothing was sent. Takes what `TurnStore.find` gives. */
export function requestsOf({ prompt, steps = [] }: TurnRecord): readonly SentRequest[] {
  if (!prompt) return []
  const tools = prompt.tools.flatMap(({ definition }) => definition ?? [])
  let last: SentRequest = { prompt, messages: [], tools }
  const requests = [last]
  for (const step of steps) {
    last = {
      prompt: step.prompt ?? last.prompt,
      messages: [...last.messages.slice(0, step.kept), ...step.messages],
      tools: step.tools ?? last.tools,
    }
    requests.push(last)
  }
  return requests
}
