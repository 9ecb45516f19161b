import { counted } from '../lib/amounts.ts'
import type { TurnId, TurnOutcome, Usage } from '../chat/entry.ts'
import { SYSTEM } from '../chat/people/names.ts'
import type { Clock, MonotonicClock } from '../chat/ports.ts'
import type { ToolDefinition } from '../prompt/prompt.ts'
import type { Bill, OpenBill, Requester } from './billing.ts'
import type { ModelRequest, SentStep, TurnRecord, TurnStore } from './ports.ts'

/** Whose turn it is; the server's own if nobody asks. */
type TurnFacts = Pick<TurnRecord, 'room' | 'model' | 'parent' | 'message'> & {
  readonly requester?: Requester
}

type TurnStart = Pick<TurnRecord, 'id' | 'startedAt'>

interface TurnLogParts {
  readonly turns: Pick<TurnStore, 'begin' | 'addStep' | 'finish'>
  readonly openBill: OpenBill
  readonly newId: () => string
  readonly clock: Clock & MonotonicClock
  /** The end of a turn could not be stored, and is to be stored later. */
  readonly lostTurn?: ((turn: TurnId) => void) | undefined
}

/** Stores turns while they run. */
export class TurnLog {
  readonly #parts: TurnLogParts

  constructor(parts: TurnLogParts) {
    this.#parts = parts
  }

  /** The id of a turn that is to be begun now. */
  next(): TurnStart {
    return { id: this.#parts.newId() as TurnId, startedAt: this.#parts.clock.now() }
  }

  /** A side turn, which has a `parent`, and what the server itself asks are stored as cut off until they end. */
  begin(turn: TurnFacts, start = this.next()): TurnRecorder {
    return new TurnRecorder(turn, start, this.#parts)
  }
}

/** Stores one turn. All promises reject with `StorageError` only. */
export class TurnRecorder {
  readonly id: TurnId
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly bill: Bill
  /** Resolves when the beginning of the turn is stored. */
  readonly begun: Promise<void>
  readonly #isSideTurn: boolean
  readonly #begunAt: number
  readonly #parts: TurnLogParts
  #last: ModelRequest | undefined

  constructor({ requester, ...turn }: TurnFacts, start: TurnStart, parts: TurnLogParts) {
    this.id = start.id
    this.startedAt = start.startedAt
    this.bill = parts.openBill(turn.room, requester)
    this.#isSideTurn = turn.parent !== undefined
    this.#begunAt = parts.clock.monotonic()
    this.#parts = parts
    const cut = this.#isSideTurn || !requester ? { endedAt: start.startedAt, outcome: 'cut' } : {}
    // A name may change before the turn is read.
    const whose = requester ? { requester: requester.name, person: requester.id } : { requester: SYSTEM }
    this.begun = parts.turns.begin({ ...turn, ...whose, ...start, ...cut })
  }

  /** Milliseconds, by a clock that never goes back. */
  elapsedMs(): number {
    return this.#parts.clock.monotonic() - this.#begunAt
  }

  /** Stores a request when it is sent: the first prompt as a whole, of later requests only what is new. */
  async sent(request: ModelRequest): Promise<void> {
    const before = this.#last
    this.#last = { ...request, messages: [...request.messages] }
    if (before) await this.#parts.turns.addStep(this.id, newSince(before, this.#last))
    else await this.#parts.turns.finish(this.id, { prompt: request.prompt })
  }

  /** Another model answers from now on. */
  async handOver(model: string): Promise<void> {
    await this.#parts.turns.finish(this.id, { model })
  }

  /** The record of a turn has the sum of what it and its side turns used; the charges are those of each. */
  async end({ usage, ...result }: TurnResult): Promise<void> {
    const spent = usage && !this.#isSideTurn ? { usage } : {}
    await this.#parts.turns.finish(this.id, { endedAt: this.#parts.clock.now(), ...result, ...spent })
  }

  endNotStored(): void {
    this.#parts.lostTurn?.(this.id)
  }
}

interface TurnResult {
  readonly outcome: TurnOutcome
  readonly usage: Usage | undefined
  readonly error?: string
}

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

export type SentRequest = Omit<ModelRequest, 'maxOutput'>

/** Every request of a stored turn, in order; none if nothing was sent, or if it was removed. Takes what `TurnStore.find` gives. */
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

/** Why a turn has no requests. */
export const nothingSent = ({ requestDays: days }: TurnRecord): string =>
  days === undefined ? 'nothing was sent' : `what was sent was removed after ${counted(days, 'day')}`
