import { counted } from '../base/amounts.ts'
import type { TurnId, TurnOutcome, Usage } from '../words/entry.ts'
import type { ByteQuota } from '../chat/index.ts'
import { SYSTEM } from '../words/names.ts'
import type { Clock, MonotonicClock } from '../base/environment.ts'
import { type ToolDefinition, withoutAskersMemory } from '../wrap/index.ts'
import type { Bill, OpenBill, Requester } from './billing.ts'
import type { SentStep, TurnRecord, TurnStore } from './ports.ts'
import type { ModelRequest, StepMessage } from '../wrap/loop/index.ts'

/** Facts of a turn; without a requester, the turn is the server's own. */
type TurnFacts = Pick<TurnRecord, 'room' | 'model' | 'parent' | 'message'> & {
  readonly requester?: Requester
}

type TurnStart = Pick<TurnRecord, 'id' | 'startedAt'>

interface TurnLogParts {
  readonly turns: Pick<TurnStore, 'begin' | 'addStep' | 'finish'>
  readonly openBill: OpenBill
  /** Counts bytes that a person's requests added to the database against their quota. */
  readonly chargeBytes: ByteQuota['charge']
  readonly newId: () => string
  readonly clock: Clock & MonotonicClock
  /** Called if the end of a turn could not be stored, so that it is stored later. */
  readonly lostTurn?: ((turn: TurnId) => void) | undefined
}

export class TurnLog {
  readonly #parts: TurnLogParts

  constructor(parts: TurnLogParts) {
    this.#parts = parts
  }

  /** Returns the id and the start of a turn that begins now. */
  next(): TurnStart {
    return { id: this.#parts.newId() as TurnId, startedAt: this.#parts.clock.now() }
  }

  /** A side turn (with `parent`) and the server's own turn have the outcome `cut` until they end. */
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
  readonly #requester: Requester | undefined
  readonly #isSideTurn: boolean
  readonly #begunAt: number
  readonly #parts: TurnLogParts
  #last: ModelRequest | undefined

  constructor({ requester, ...turn }: TurnFacts, start: TurnStart, parts: TurnLogParts) {
    this.id = start.id
    this.startedAt = start.startedAt
    this.bill = parts.openBill(turn.room, requester)
    this.#requester = requester
    this.#isSideTurn = turn.parent !== undefined
    this.#begunAt = parts.clock.monotonic()
    this.#parts = parts
    const cut = this.#isSideTurn || !requester ? { endedAt: start.startedAt, outcome: 'cut' } : {}
    // Stores the name too, which may change later.
    const whose = requester ? { requester: requester.name, person: requester.id } : { requester: SYSTEM }
    this.begun = parts.turns.begin({ ...turn, ...whose, ...start, ...cut })
  }

  /** Milliseconds since the turn began, on the monotonic clock. */
  elapsedMs(): number {
    return this.#parts.clock.monotonic() - this.#begunAt
  }

  /**
   * Stores a request when it is sent: the first prompt as a whole, of later requests only what is new. What the
   * asker said of themselves is not stored, because everybody in the room can read the turn.
   */
  async sent(request: ModelRequest): Promise<void> {
    const before = this.#last
    this.#last = { ...request, messages: [...request.messages] }
    const { turns, chargeBytes } = this.#parts
    const bytes = before
      ? await turns.addStep(this.id, newSince(before, this.#last))
      : await turns.finish(this.id, { prompt: withoutAskersMemory(request.prompt) })
    if (this.#requester) chargeBytes(this.#requester, bytes)
  }

  /** Records that another model answers from now on. */
  async handOver(model: string): Promise<void> {
    await this.#parts.turns.finish(this.id, { model })
  }

  /** Includes the usage of side turns, which store none; charges are stored for each. */
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
  // Compares objects: a shortened message is a new one.
  const changed = before.messages.findIndex((message, index) => message !== request.messages[index])
  const kept = changed === -1 ? before.messages.length : changed
  return {
    ...(request.prompt === before.prompt ? {} : { prompt: withoutAskersMemory(request.prompt) }),
    ...(changed === -1 ? {} : { kept }),
    messages: request.messages.slice(kept).map(asLogged),
    ...(sameBytes(request.tools, before.tools) ? {} : { tools: request.tools }),
  }
}

const asLogged = (message: StepMessage): StepMessage =>
  message.role === 'tool' && message.logged !== undefined ? { ...message, content: message.logged } : message

const sameBytes = (a: readonly ToolDefinition[], b: readonly ToolDefinition[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

export type SentRequest = Omit<ModelRequest, 'maxOutput'>

/** Returns a stored turn's requests (`TurnStore.find`) in order; none if unsent or removed. */
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

/** Returns the reason why a turn has no requests. */
export const nothingSent = ({ requestDays: days }: TurnRecord): string =>
  days === undefined ? 'nothing was sent' : `what was sent was removed after ${counted(days, 'day')}`
