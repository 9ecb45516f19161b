import { setTimeout as wait } from 'node:timers/promises'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Log } from '../../lib/environment.ts'
import { explain } from './request.ts'

/** A POST whose result nobody waits for. */
export interface OutgoingPost {
  /** Posts of one queue are sent one by one, in order. The name is logged, so it holds no secret. */
  readonly queue: string
  /** A URL that the operator configured, or one below a configured origin. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Limit per queue; further posts are dropped. */
const MAX_WAITING = 100
const TIMEOUT_MS = 10_000
/** Pauses before each attempt. */
const PAUSES_MS = [0, 1_000, 5_000]

/** Sends webhooks and notices. Follows no redirects. Drops waiting posts when the server stops. */
export class Outgoing implements AsyncDisposable {
  readonly #log: Pick<Log, 'warn'>
  readonly #closing = new AbortController()
  readonly #queues = new Map<string, LimitFunction>()

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log
  }

  /** Never throws. */
  add(post: OutgoingPost): void {
    const { queue } = post
    if (this.#closing.signal.aborted) return
    const oneByOne = this.#queues.get(queue) ?? pLimit(1)
    this.#queues.set(queue, oneByOne)
    if (oneByOne.pendingCount >= MAX_WAITING)
      return this.#log.warn({ to: queue }, 'too many requests wait for an address; one was dropped')
    void oneByOne(() => this.#send(post))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('the server is stopping'))
    await Promise.all([...this.#queues.values()].map((oneByOne) => oneByOne(() => {})))
  }

  async #send({ queue, url, headers, body }: OutgoingPost): Promise<void> {
    const closing = this.#closing.signal
    let reason = 'the server is stopping'
    for (const ms of PAUSES_MS) {
      if (ms > 0) await wait(ms, undefined, { signal: closing, ref: false }).catch(() => {})
      if (closing.aborted) break
      const late = AbortSignal.timeout(TIMEOUT_MS)
      try {
        const signal = AbortSignal.any([closing, late])
        const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
        await response.body?.cancel()
        const { status, ok } = response
        if (ok) return
        reason = `it answered ${status}`
        if (status < 500 && status !== 429 && status !== 408) break
      } catch (error) {
        reason = late.aborted ? `no answer within ${TIMEOUT_MS / 1_000} s` : whyNotSent(error, url)
      }
    }
    this.#log.warn({ to: queue, reason }, 'a request was not taken')
  }
}

/** Shows only the cause, because the error itself may contain a secret header. */
function whyNotSent(error: unknown, url: string): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause === undefined ? 'it could not be sent' : explain(cause, new URL(url))
}
