import { StorageError } from '../chat/errors.ts'
import type { Alarm, Log, MonotonicClock } from '../chat/ports.ts'
import { createSerial } from '../lib/jobs/serial.ts'
import type { Estate, ServerFacts, ServerStore } from './ports.ts'
import type { ServerId } from './server-id.ts'
import { createUnchanged } from './unchanged.ts'

/** How often a server says that it is alive and looks for those that do not, in milliseconds. */
const BEAT_MS = 2_000

/** A server that says nothing for so long is dead to the others, in milliseconds. */
const LEASE_MS = 8_000

/** A beat counts as so many milliseconds at most, however late its answers came: a beat, and what a quick database takes. */
const LONGEST_BEAT_MS = 2_500

/** What the keeping of a lease is made of. */
export interface LeaseParts {
  readonly servers: Pick<ServerStore, 'begin' | 'update' | 'renew' | 'end' | 'beats' | 'bury' | 'buryOne'>
  /** As they are now. */
  readonly facts: () => Promise<ServerFacts>
  readonly clock: MonotonicClock & Alarm
  /** Others have died, and this server found it. Rejects with `StorageError`, and then it is called again. */
  readonly onBuried: (estate: Estate) => Promise<void>
  /** Nobody has heard of this server for so long that others may have taken over what it does. Called once each time. */
  readonly onSilent: () => void
  /** Others had taken it for dead; it is alive to them again. Rejects with `StorageError`, and then it is called again. */
  readonly onBack: () => Promise<void>
  /** The database has heard of it just now. Never throws. */
  readonly onRenewed: () => void
  readonly log: Log
}

/** A server's word that it is alive, until it is disposed of. */
export interface Lease extends AsyncDisposable {
  /** Resolves when others see it. `before`: an earlier run of this server, which is gone. Rejects with `StorageError`. */
  begin(before?: ServerId): Promise<void>
  /** The facts have changed. Rejects with `StorageError`. */
  update(): Promise<void>
  /** Others may have taken this server for dead: it is looked at once. */
  doubt(): void
}

export function createLease({ servers, facts, clock, log, ...told }: LeaseParts): Lease {
  let state: 'new' | 'running' | 'ended' = 'new'
  let heardAt = clock.monotonic()
  const beats = createUnchanged<ServerId>()
  /** When the beats of all were last looked at. */
  let lookedAt = heardAt
  /** For how long others would have been heard by now, in milliseconds. */
  let listened = 0
  /** Others that died are being buried: beats go on beside it, for it may take as long as many answers of the database. */
  let burial: Promise<void> | undefined
  let isSilent = false
  /** It was taken for dead, and `onBack` has not succeeded since. */
  let isComingBack = false
  /** What others left, and what follows from it is not stored yet. */
  let unsettled: readonly Estate[] = []
  const serially = createSerial()
  /** A beat that has not begun. */
  let nextBeat: Promise<void> | undefined

  function beatLater(): void {
    clock.later(BEAT_MS, () => {
      if (state === 'running') void beatNow().finally(beatLater)
    })
  }

  function beatNow(): Promise<void> {
    nextBeat ??= serially(async () => {
      nextBeat = undefined
      if (state === 'running') await beat()
    })
    return nextBeat
  }

  /** A beat may hang as long as the network does. Where the process itself stood still, this is the first that it does. */
  function watchLater(): void {
    const asked = clock.monotonic()
    clock.later(BEAT_MS / 2, () => {
      if (state !== 'running') return
      noteSilence()
      if (clock.monotonic() - asked > BEAT_MS) void beatNow()
      watchLater()
    })
  }

  function noteSilence(): void {
    if (clock.monotonic() - heardAt >= LEASE_MS) beSilent()
  }

  function beSilent(): void {
    if (isSilent) return
    isSilent = true
    log.error({}, 'the database has not heard of this server for a while: others may take over what it does')
    told.onSilent()
  }

  const beat = (): Promise<void> =>
    untilTrouble(async () => {
      await renew()
      void buryBeside(bury)
    })

  function buryBeside(work: () => Promise<void>): Promise<void> {
    burial ??= untilTrouble(work).finally(() => (burial = undefined))
    return burial
  }

  /** What cannot be done now is done with a later beat. */
  async function untilTrouble(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      // Where the database was away, the others were cut off from it just as this server: they have a whole lease to come back.
      beats.forget()
      log.warn({ error, reason: error.reason }, 'the lease of this server could not be renewed')
    }
  }

  /**
   * Only this server's own clock counts: the database's may be set, or be another one's. Where its answers are late, the others
   * beat as seldom as this server does.
   */
  async function bury(): Promise<void> {
    const asked = clock.monotonic()
    listened += Math.min(asked - lookedAt, LONGEST_BEAT_MS)
    lookedAt = asked
    const now = await servers.beats()
    const look = {
      asked: listened,
      answered: listened + Math.min(clock.monotonic() - asked, LONGEST_BEAT_MS),
    }
    await settle(await servers.bury(beats.since(now, look, LEASE_MS)))
  }

  async function settle(found: Estate): Promise<void> {
    if (found.servers.length > 0) {
      log.warn({ servers: found.servers.map(({ name }) => name) }, 'servers have died')
      unsettled = [...unsettled, found]
    }
    for (const estate of unsettled) {
      await told.onBuried(estate)
      unsettled = unsettled.filter((one) => one !== estate)
    }
  }

  async function renew(): Promise<void> {
    const asked = clock.monotonic()
    if (!(await servers.renew())) {
      beSilent()
      // Before it is asked for: where the answer is lost, the next renewal does not tell.
      isComingBack = true
      await servers.begin(await facts())
    }
    heardAt = asked
    isSilent = false
    told.onRenewed()
    if (!isComingBack) return
    await told.onBack()
    isComingBack = false
  }

  return {
    async begin(before) {
      const known = await facts()
      const asked = clock.monotonic()
      await servers.begin(known)
      heardAt = asked
      lookedAt = asked
      state = 'running'
      beatLater()
      watchLater()
      if (before !== undefined) await buryBeside(async () => await settle(await servers.buryOne(before)))
    },
    update: () =>
      serially(async () => {
        if (state !== 'running') return
        // Taken for dead: the beat finds that, too, and comes back with the new facts.
        if (!(await servers.update(await facts()))) await beat()
      }),
    doubt: () => void beatNow(),
    async [Symbol.asyncDispose]() {
      const wasRunning = state === 'running'
      state = 'ended'
      await serially(() => undefined)
      await burial
      if (wasRunning)
        await servers.end().catch((error: unknown) => log.warn({ error }, 'the lease was not ended'))
    },
  }
}
