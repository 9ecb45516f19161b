import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../chat/ports.ts'
import type { Wire } from '../../cluster/ports.ts'
import { createHearers } from './hearers.ts'
import { type Engine, type Link, whyNotReached } from './link.ts'

/** Pauses before another attempt double from the first to the last, in milliseconds. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/** After a connection that lasted so many milliseconds, the pauses begin anew. */
const STEADY_MS = 30_000

const AWAY = 'the bus is away; what is said on other servers is shown up to a second later'

/** A wire that connects again, for ever, until it is disposed of. Resolves after the first attempt; never rejects. */
export async function createKeptWire(engine: Engine, log: Log): Promise<Wire> {
  const stopping = new AbortController()
  const { signal } = stopping
  const hearers = createHearers(
    log,
    (subject) => link?.want(subject),
    (subject) => link?.unwant(subject),
  )
  let link: Link | undefined
  let isToldAway = false
  let closing: Promise<void> | undefined

  async function keep(tried: () => void): Promise<void> {
    for (let failures = 0; !signal.aborted; failures++) {
      const began = performance.now()
      const why = await once(tried)
      if (signal.aborted) return
      tellAway(why)
      if (performance.now() - began > STEADY_MS) failures = 0
      await pause(failures, signal)
    }
  }

  /** Connects, and resolves to the reason when that is over. */
  async function once(tried: () => void): Promise<string> {
    try {
      const next = await engine.connect(hearers.tell)
      begin(next)
      tried()
      return await next.ended
    } catch (error) {
      return whyNotReached(error)
    } finally {
      link = undefined
      tried()
    }
  }

  function begin(next: Link): void {
    // Nobody waits for an attempt that was under way at the end.
    if (signal.aborted) return void next.close()
    link = next
    for (const subject of hearers.subjects()) next.want(subject)
    if (isToldAway) log.info({ engine: engine.name }, 'the bus is back')
    isToldAway = false
  }

  function tellAway(why: string): void {
    if (!isToldAway) log.warn({ engine: engine.name, why }, AWAY)
    isToldAway = true
  }

  await new Promise<void>((tried) => void keep(tried))
  return {
    get maxBytes() {
      return link?.maxBytes ?? engine.maxBytes
    },
    send: (subject, text) => link?.send(subject, text),
    hear: hearers.add,
    isUp: () => link !== undefined,
    async [Symbol.asyncDispose]() {
      stopping.abort()
      closing ??= link?.close()
      await closing
    },
  }
}

/** Several servers that lost the same engine do not come back all at once. */
async function pause(failures: number, signal: AbortSignal): Promise<void> {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures)
  await delay(longest * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => undefined)
}
