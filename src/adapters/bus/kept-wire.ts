import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../chat/ports.ts'
import type { Wire } from '../../cluster/ports.ts'
import { createHearers } from './hearers.ts'
import { type Engine, type Link, whyNotReached } from './link.ts'
import { SEAL_BYTES, type Seal } from './seal.ts'

/** Pauses before another attempt double from the first to the last, in milliseconds. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/** After a connection that lasted so many milliseconds, the pauses begin anew. */
const STEADY_MS = 30_000

const AWAY = 'the bus is away; what is said on other servers is shown up to a second later'

/** How often it is told at most that others publish, in milliseconds. */
const STRANGERS_MS = 60_000

const STRANGERS =
  'somebody who is no server of this database publishes on the bus; it was shown to nobody. Look who may do that'

/** A wire that connects again, for ever, until it is disposed of. Resolves after the first attempt; never rejects. */
export async function createKeptWire(engine: Engine, seal: Seal, log: Log): Promise<Wire> {
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
  const noteStranger = createStrangerNotes(engine, log)

  function open(subject: string, message: Buffer): void {
    // Over one engine come the messages of all rooms, of which only those are opened that somebody is in.
    if (!hearers.has(subject)) return
    const opened = seal.open(subject, message)
    if (opened === 'strange') noteStranger()
    else if (opened !== 'repeated') hearers.tell(subject, opened.text)
  }

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
      const next = await engine.connect(open)
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
      return (link?.maxBytes ?? engine.maxBytes) - SEAL_BYTES
    },
    send: (subject, text) => link?.send(subject, seal.seal(subject, text)),
    hear: hearers.add,
    isUp: () => link !== undefined,
    async [Symbol.asyncDispose]() {
      stopping.abort()
      closing ??= link?.close()
      await closing
    },
  }
}

/** Logs the first, and then once a minute how many there were. */
function createStrangerNotes({ name }: Engine, log: Log): () => void {
  let messages = 0
  let toldAt = -Infinity
  return () => {
    messages++
    if (performance.now() - toldAt < STRANGERS_MS) return
    log.warn({ engine: name, messages }, STRANGERS)
    toldAt = performance.now()
    messages = 0
  }
}

/** Several servers that lost the same engine do not come back all at once. */
async function pause(failures: number, signal: AbortSignal): Promise<void> {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures)
  await delay(longest * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => undefined)
}
