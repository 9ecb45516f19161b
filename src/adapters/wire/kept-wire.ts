import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../chat/ports.ts'
import type { Wire } from '../../cluster/ports.ts'
import { createFlood } from './flood.ts'
import { createHearers } from './hearers.ts'
import { type Engine, type Link, whyNotReached } from './link.ts'
import { SEAL_BYTES, type Seal } from './seal.ts'
import { createStrangerNotes } from './strangers.ts'

/** Pauses before another attempt double from the first to the last, in milliseconds. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/** After a connection that lasted so many milliseconds, the pauses begin anew. */
const STEADY_MS = 30_000

const AWAY = 'the bus is away; what is said on other servers is shown up to a second later'

/** An engine that somebody floods is left alone for so long at first, and twice as long each time up to the last, in milliseconds. */
const FLOODED_MS = 30_000
const LONGEST_FLOODED_MS = 600_000

const FLOODED = 'somebody floods the bus, so it is left alone for a while'

/**
 * A wire that connects again, for ever, until it is disposed of. Resolves after the first attempt; never rejects. While somebody floods
 * it, it is away: it is a hint only, and worth less than the time of the server.
 */
export async function createKeptWire(
  engine: Engine,
  seal: Seal,
  log: Log,
  floodedMs = FLOODED_MS,
): Promise<Wire> {
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
  const strangers = createStrangerNotes(engine.name, log)
  const flood = createFlood()
  let isFlooded = false

  function open(subject: string, message: Buffer): void {
    // Over one engine come the messages of all rooms, of which only those are opened that somebody is in.
    if (isFlooded || !hearers.has(subject)) return
    const opened = seal.knows(message) || flood.mayOpen() ? seal.open(subject, message) : 'strange'
    if (typeof opened === 'object') return hearers.tell(subject, opened.text)
    if (opened === 'strange') strangers.note()
    if (flood.useless()) leave()
  }

  function leave(): void {
    isFlooded = true
    void link?.close()
  }

  async function keep(tried: () => void): Promise<void> {
    let floods = 0
    for (let failures = 0; !signal.aborted; failures++) {
      const began = performance.now()
      isFlooded = false
      const why = await once(tried)
      if (signal.aborted) return
      tellAway(isFlooded ? FLOODED : why)
      if (performance.now() - began > STEADY_MS) failures = floods = 0
      if (isFlooded) await rest(Math.min(LONGEST_FLOODED_MS, floodedMs * 2 ** floods++), signal)
      else await pause(failures, signal)
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
    if (signal.aborted || isFlooded) return void next.close()
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
      strangers[Symbol.dispose]()
      closing ??= link?.close()
      await closing
    },
  }
}

/** Several servers that lost the same engine do not come back all at once. */
async function pause(failures: number, signal: AbortSignal): Promise<void> {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures)
  await rest(longest * (0.5 + Math.random() / 2), signal)
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => undefined)
}
