import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/server'
import { whenAborted } from '../../../lib/when-aborted.ts'
import { INVALID_REQUEST, REFUSED } from './error-codes.ts'

/** Calls that one client may have at once. */
const MAX_IN_FLIGHT = 32

const STOPPING = 'the server is stopping; ask again when it is back'

const invalid = (wrong: string) => ({ code: INVALID_REQUEST, wrong })

/** The requests of one client that wait for an answer. */
export interface RequestsInFlight {
  /** Takes a message of the client. Why it must not be served, in a sentence, if so. */
  begin(message: JSONRPCMessage): { readonly code: number; readonly wrong: string } | undefined
  /** Takes a message to the client. */
  answered(message: JSONRPCMessage): void
  /** The request with this id was answered otherwise. */
  ended(id: unknown): void
  /** Resolves when none waits any more. */
  allAnswered(): Promise<void>
  /** Aborted when none waits any more after the server began to drain. */
  readonly drained: AbortSignal
  /** None will be answered any more. */
  giveUp(): void
}

/** Once `draining` is aborted, none is served but `ping`. */
export function createRequestsInFlight(draining: AbortSignal): RequestsInFlight {
  const drained = new AbortController()
  const waiting = new Set<string | number>()
  /** They stay open as long as the client wants to listen, so that nothing waits for their end. */
  const listening = new Set<string | number>()
  let whenNone: (() => void)[] = []

  function end(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') {
      waiting.delete(id)
      listening.delete(id)
    }
    if (waiting.size > 0) return
    for (const tell of whenNone) tell()
    whenNone = []
  }

  const allAnswered = async (): Promise<void> =>
    await new Promise((resolve) => {
      whenNone.push(resolve)
      end(undefined)
    })

  whenAborted(draining, () => void allAnswered().then(() => drained.abort()))

  return {
    begin(message) {
      if (isJSONRPCRequest(message)) {
        const { id, method } = message
        if (waiting.has(id) || listening.has(id))
          return invalid('a request with this id waits for its answer; give each its own')
        if (draining.aborted && method !== 'ping') return { code: REFUSED, wrong: STOPPING }
        if (waiting.size >= MAX_IN_FLIGHT)
          return invalid(`${MAX_IN_FLIGHT} requests wait for their answers already; wait for one of them`)
        if (method === 'subscriptions/listen') listening.add(id)
        else waiting.add(id)
      } else if ('method' in message && message.method === 'notifications/cancelled') {
        // What is cancelled is not answered.
        end(message.params?.['requestId'])
      }
      return undefined
    },
    answered(message) {
      if (!('method' in message)) end(message.id)
    },
    ended: end,
    allAnswered,
    drained: drained.signal,
    giveUp() {
      waiting.clear()
      end(undefined)
    },
  }
}
