import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { createDeferred } from '../../../lib/deferred.ts'
import { untilAborted } from '../../../lib/jobs/until-aborted.ts'
import { safeJson } from '../../../lib/safe-json.ts'
import { createRequestsInFlight } from './requests-in-flight.ts'
import { REFUSED } from './error-codes.ts'
import { linesOfBytes, type LongLine } from './byte-lines.ts'
import { readMessage, type NoMessage, type ReadMessage } from './read-message.ts'

/** What carries the lines, and bounds them. */
export interface LinePipe {
  /** What the client sends, until its end of file or until it is gone. */
  readonly stdin: AsyncIterable<Uint8Array>
  /** Queues text at once. Resolves when there is space for more; never rejects. */
  out(text: string): Promise<void>
  /** Does a piece of work for this client once it is its turn. Rejects as the work throws. */
  work(piece: () => void): Promise<void>
  readonly signal: AbortSignal
  /** Aborted when the server is going to stop: nothing new begins then, and the transport ends once all is answered. */
  readonly draining: AbortSignal
  /** Of one message. */
  readonly maxBytes: number
}

/** What is told of each message that comes, before the server is, and of each that goes. */
export interface MessageWatch {
  /** Where the server has to wait for it, resolves to whether it is to be served, and else why not. Never rejects. */
  taken(message: JSONRPCMessage): Promise<'wanted' | 'cancelled' | { readonly why: string }> | undefined
  sent(message: JSONRPCMessage): void
}

/** The transport, and its end. */
export interface LineTransport extends Transport {
  /** Resolves once the input has ended and all requests are answered, or the client is gone. */
  readonly ended: Promise<void>
}

/**
 * MCP with a message on each line. What is no message is answered with an error that says what is wrong, and the next line
 * is read: nothing that a client sends ends it. Lines are read as fast as the client reads what they cause.
 */
export function createLineTransport(pipe: LinePipe, watch?: MessageWatch): LineTransport {
  const inFlight = createRequestsInFlight(pipe.draining)
  const ended = createDeferred<void>()
  let isClosed = false
  let lastSent: Promise<void> = Promise.resolve()

  const transport: LineTransport = {
    ended: ended.promise,
    async start() {
      pipe.signal.addEventListener('abort', close, { once: true })
      if (pipe.signal.aborted) close()
      else void readAll()
    },
    async send(message) {
      // A line of a full room goes to hundreds of agents: each pays for its own.
      await pipe.work(() => {
        if (isClosed) throw new Error('the client is gone')
        inFlight.answered(message)
        watch?.sent(message)
        write(message)
      })
      await lastSent
    },
    async close() {
      close()
    },
  }
  return transport

  async function readAll(): Promise<void> {
    try {
      for await (const line of linesOfBytes(endingWith(inFlight.drained, pipe.stdin), pipe.maxBytes)) {
        if (isClosed) return
        await pipe.work(() => take(line))
        await lastSent
      }
      await inFlight.allAnswered()
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error('the input failed', { cause: error }))
    } finally {
      await lastSent
      close()
    }
  }

  function take(line: Uint8Array | LongLine): void {
    const read = readMessage(line, pipe.maxBytes)
    if ('wrong' in read) return answerError(read)
    const wrong = inFlight.begin(read.message)
    if (wrong) return answerError({ id: read.id, ...wrong })
    const ready = watch?.taken(read.message)
    if (ready) void giveLater(read, ready)
    else transport.onmessage?.(read.message)
  }

  async function giveLater(
    { message, id }: ReadMessage,
    ready: NonNullable<ReturnType<MessageWatch['taken']>>,
  ): Promise<void> {
    const verdict = await ready
    if (isClosed || verdict === 'cancelled') return
    if (verdict === 'wanted') return transport.onmessage?.(message)
    answerError({ id, code: REFUSED, wrong: verdict.why })
    inFlight.ended(id)
  }

  function answerError({ id, code, wrong }: NoMessage): void {
    write({ jsonrpc: '2.0', id, error: { code, message: wrong } })
  }

  function write(message: object): void {
    lastSent = pipe.out(`${safeJson(message)}\n`)
  }

  function close(): void {
    if (isClosed) return
    isClosed = true
    pipe.signal.removeEventListener('abort', close)
    inFlight.giveUp()
    transport.onclose?.()
    ended.resolve()
  }
}

/** The same items, until the signal is aborted. */
async function* endingWith<T>(signal: AbortSignal, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* untilAborted(items, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
