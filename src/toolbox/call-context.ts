import type { ToolProgress } from '../chat/tool-progress.ts'
import type { Uncounted } from '../lib/jobs/deadline.ts'
import {
  type CallingTurn,
  type PermissionProvider,
  type ToolContext,
  chatModel,
  type ChatModel,
  type ToolLimits,
} from '../tools/context.ts'
import { Withdrawn } from '../tools/permission.ts'

/** What a tool gets from its caller, whatever the call. */
export type CallerContext = Omit<ToolContext, 'signal' | 'limits' | 'progress'>

/** Is told what somebody does now, and how far that is. */
export type ReportDoing = (doing: string, progress?: ToolProgress) => void

/** Whoever calls tools: a model in its turn, a person, or a program. */
export interface Caller {
  /** Gives what its tools get. Asked at each call. Rejects with `StorageError`. */
  context(): Promise<CallerContext>
  /** Told what the caller is doing now: the name of a tool, or that it waits for a permission; and how far the tool is. */
  readonly report?: ReportDoing
  /** Calls `changed` whenever the caller's tools may have changed. Returns the function that ends this. */
  readonly watchTools?: (changed: () => void) => () => void
}

/** What of a call its context is made from. */
export interface ContextOfCall {
  /** The name the tool was called by. */
  readonly name: string
  readonly caller: Caller
  /** Whether the tool is still in the caller's scope. */
  readonly isOffered: () => Promise<boolean>
}

/** The time that a part of a call has. */
export interface CallTime {
  readonly signal: AbortSignal
  /** For what takes other people's time. */
  readonly uncounted: Uncounted
  /** Told how many milliseconds were spent on waiting for an answer. */
  readonly waited: (ms: number) => void
}

/** What a tool gets for one call. Rejects as `Caller.context` does. */
export async function contextFor(
  called: ContextOfCall,
  limits: ToolLimits,
  time: CallTime,
): Promise<ToolContext> {
  const context = await called.caller.context()
  return {
    ...context,
    chat: chatOfCall(called, context.chat, time),
    permissions: permissionsOf(called, context.permissions, time),
    progress: (progress) => {
      if (!time.signal.aborted) called.caller.report?.(called.name, progress)
    },
    signal: time.signal,
    limits,
  }
}

/** The same conversation, whose messages are read when they are asked for. */
const chatOfCall = (
  called: ContextOfCall,
  chat: ToolContext['chat'],
  time: CallTime,
): ToolContext['chat'] => ({
  ...(chat.model ? { model: modelOfCall(called, chat.model, time) } : {}),
  get messages() {
    return chat.messages
  },
  ...(chat.turn ? { turn: withoutDeadline(chat.turn, time.uncounted) } : {}),
})

/** A question has the time of the turn, and not that of the tool; it ends with the tool's call. */
const modelOfCall = (
  { name, caller }: ContextOfCall,
  model: ChatModel,
  { signal, uncounted }: CallTime,
): ChatModel =>
  chatModel(model.name, async (messages, stop) => {
    const until = stop ? AbortSignal.any([signal, stop]) : signal
    try {
      return await uncounted(() => model.ask(messages, until))
    } finally {
      caller.report?.(name)
    }
  })

/** A sub-turn has the time of its turn, and not the time of the tool that started it. */
const withoutDeadline = (turn: CallingTurn, uncounted: Uncounted): CallingTurn => ({
  ...turn,
  subTurns: { run: (request) => uncounted(() => turn.subTurns.run(request)) },
})

/** What a caller is said to do while a question of its is open. */
const WAITING = 'waiting for /allow'

/** The tool's time does not count while people are asked. The scope may have changed meanwhile. */
const permissionsOf = (
  { name, caller, isOffered }: ContextOfCall,
  provider: PermissionProvider,
  { uncounted, waited }: CallTime,
): PermissionProvider => ({
  async request(asked) {
    const since = performance.now()
    const taken = new AbortController()
    const checkTools = async (): Promise<void> => {
      if (!(await isOffered())) taken.abort(new Withdrawn(TURNED_OFF))
    }
    // Where the tools cannot be read now, they are once more after the answer.
    const stopWatching = caller.watchTools?.(() => void checkTools().catch(() => undefined))
    const signal = AbortSignal.any([asked.signal, taken.signal])
    caller.report?.(WAITING)
    const verdict = await uncounted(() => provider.request({ ...asked, signal }))
    stopWatching?.()
    caller.report?.(name)
    waited(performance.now() - since)
    if (verdict !== 'allow') return verdict
    return (await isOffered()) ? 'allow' : { why: TURNED_OFF }
  },
})

const TURNED_OFF = 'it was turned off meanwhile'
