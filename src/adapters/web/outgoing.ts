import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../../chat/ports.ts'
import { explain } from './request.ts'

/** A POST that nobody waits for. */
export interface OutgoingPost {
  /** Posts of one queue are sent one by one, in order. It is logged, and so holds no secret. */
  readonly queue: string
  /** An address that the operator named, or one below an origin that they named. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Of each queue. More are dropped. */
const MAX_WAITING = 100
const TIMEOUT_MS = 10_000
/** Before each try. */
const PAUSES_MS = [0, 1_000, 5_000]

/** Sends webhooks and notices. Follows no redirect. What waits when the server stops is dropped. */
export class Outgoing implements AsyncDisposable {
  readonly #log: Pick<Log, 'warn'>
  readonly #closing = new AbortController()
  readonly #queues = new Map<string, { readonly waiting: OutgoingPost[]; drained: Promise<void> }>()

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log
  }

  /** Never throws. */
  add(post: OutgoingPost): void {
    if (this.#closing.signal.aborted) return
    const queue = this.#queues.get(post.queue)
    if (!queue) return this.#open(post)
    if (queue.waiting.length < MAX_WAITING) queue.waiting.push(post)
    else this.#log.warn({ to: post.queue }, 'too many requests wait for an address; one was dropped')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('the server is stopping'))
    await Promise.all([...this.#queues.values()].map(({ drained }) => drained))
  }

  #open(first: OutgoingPost): void {
    const queue = { waiting: [first], drained: Promise.resolve() }
    this.#queues.set(first.queue, queue)
    queue.drained = this.#drain(first.queue, queue.waiting)
  }

  async #drain(name: string, waiting: readonly OutgoingPost[] & { shift(): OutgoingPost | undefined }) {
    for (let post = waiting.shift(); post; post = waiting.shift()) {
      const reason = await this.#send(post)
      if (reason !== undefined) this.#log.warn({ to: name, reason }, 'a request was not taken')
    }
    this.#queues.delete(name)
  }

  /** Resolves to the reason if no try succeeded. */
  async #send(post: OutgoingPost): Promise<string | undefined> {
    let failure: Failure | undefined
    for (const ms of PAUSES_MS) {
      if (ms > 0) await wait(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {})
      if (this.#closing.signal.aborted) return 'the server is stopping'
      failure = await tryOnce(post, this.#closing.signal)
      if (!failure?.isPassing) break
    }
    return failure?.reason
  }
}

interface Failure {
  readonly reason: string
  /** Another try may succeed. */
  readonly isPassing: boolean
}

async function tryOnce(
  { url, headers, body }: OutgoingPost,
  closing: AbortSignal,
): Promise<Failure | undefined> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), TIMEOUT_MS)
  try {
    const signal = AbortSignal.any([closing, late.signal])
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await response.body?.cancel()
    const { status, ok } = response
    if (ok) return undefined
    return { reason: `it answered ${status}`, isPassing: status >= 500 || status === 429 || status === 408 }
  } catch (error) {
    if (late.signal.aborted) return { reason: `no answer within ${TIMEOUT_MS / 1_000} s`, isPassing: true }
    const cause = error instanceof Error ? error.cause : undefined
    // An error without a cause may repeat a header with a secret.
    if (cause === undefined) return { reason: 'it could not be sent', isPassing: false }
    return { reason: explain(cause, new URL(url)), isPassing: true }
  } finally {
    clearTimeout(timer)
  }
}
