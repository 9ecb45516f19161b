import { setTimeout as wait } from 'node:timers/promises'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Log } from '../base/environment.ts'
import { explain } from './request.ts'

/** A POST whose result no caller waits for. */
export interface OutgoingPost {
  /** Posts of one queue are sent one by one, in order. The name is logged, so it must contain no secret. */
  readonly queue: string
  /** A URL that the operator configured, or a URL below a configured origin. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Called when posts begin to be dropped, and again only after a post succeeded and none waits. */
  readonly onDrop?: () => void
}

interface Queue {
  readonly oneByOne: LimitFunction
  isDropping: boolean
}

/** The limit per queue; further posts are dropped. */
const MAX_WAITING = 100
const TIMEOUT_MS = 10_000
/** Pauses before each attempt. */
const PAUSES_MS = [0, 1_000, 5_000]

/** Sends webhooks and notices. Follows no redirects. Drops waiting posts when the server stops. */
export class Outgoing implements AsyncDisposable {
  readonly #log: Pick<Log, 'warn'>
  readonly #closing = new AbortController()
  readonly #queues = new Map<string, Queue>()

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log
  }

  /** Never throws. */
  add(post: OutgoingPost): void {
    if (this.#closing.signal.aborted) return
    const queue = this.#queues.get(post.queue) ?? { oneByOne: pLimit(1), isDropping: false }
    this.#queues.set(post.queue, queue)
    const { oneByOne } = queue
    if (oneByOne.pendingCount >= MAX_WAITING) return this.#drop(post, queue, 'too many requests wait')
    void oneByOne(async () => {
      const reason = await this.#send(post)
      if (reason !== undefined) this.#drop(post, queue, reason)
      else if (oneByOne.pendingCount === 0) this.#queues.delete(post.queue)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('the server is stopping'))
    await Promise.all([...this.#queues.values()].map(({ oneByOne }) => oneByOne(() => {})))
  }

  #drop({ queue: to, onDrop }: OutgoingPost, queue: Queue, reason: string): void {
    this.#log.warn({ to, reason }, 'a request was dropped')
    if (!queue.isDropping) onDrop?.()
    queue.isDropping = true
  }

  /** Resolves to the reason if the receiver did not accept the post. */
  async #send({ url, headers, body }: OutgoingPost): Promise<string | undefined> {
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
        if (ok) return undefined
        reason = `it answered ${status}`
        if (status < 500 && status !== 429 && status !== 408) break
      } catch (error) {
        reason = late.aborted ? `no answer within ${TIMEOUT_MS / 1_000} s` : whyNotSent(error, url)
      }
    }
    return reason
  }
}

/** Shows only the cause, because the error itself may contain a secret header. */
function whyNotSent(error: unknown, url: string): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause === undefined ? 'it could not be sent' : explain(cause, new URL(url))
}
