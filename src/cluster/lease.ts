import { warnOfStorage } from '../words/errors.ts'
import type { Alarm, Log, MonotonicClock } from '../base/environment.ts'
import { createSerial } from '../base/jobs/serial.ts'
import type { ExpiredServers, ServerFacts, ServerId, ServerStore } from './stores.ts'

/** Milliseconds between renewals of the lease, and between searches for expired leases. */
const RENEW_MS = 2_000
/** Milliseconds between checks whether a renewal is due. */
const TICK_MS = RENEW_MS / 2

/** Other servers regard a server as dead after this many ms without renewal, by the database's clock. */
const LEASE_MS = 8_000

/**
 * After a gap of this many ms between renewals, the database was also away for other servers, so they get a
 * whole lease to renew. Shorter than the lease by a renewal and a slow answer.
 */
const GAP_MS = 5_000

export interface LeaseParts {
  readonly servers: Pick<ServerStore, 'register' | 'update' | 'renew' | 'end' | 'expire' | 'expireOne'>
  readonly facts: () => Promise<ServerFacts>
  readonly clock: MonotonicClock & Alarm
  /** Handles other servers' ended leases. Called again if it rejects with `StorageError`. */
  readonly onExpired: (expired: ExpiredServers) => Promise<void>
  /** Called once per outage: other servers may have taken over this server's work. */
  readonly onLost: () => void
  /** Called when other servers see this server again; repeated if it rejects with `StorageError`. */
  readonly onRestored: () => Promise<void>
  /** Called after each renewal; must not throw. */
  readonly onRenewed: () => void
  readonly log: Log
}

/** Keeps a server alive to the others until it is disposed of. */
export class Lease implements AsyncDisposable {
  readonly #parts: LeaseParts
  #state: 'new' | 'running' | 'ended' = 'new'
  #renewedAt = -Infinity
  /** The start of the last renewal, even of a failed one. */
  #askedAt = -Infinity
  #mayExpireAt = Infinity
  #isLost = false
  /** True from the lease's expiry until `onRestored` succeeds. */
  #isRestoring = false
  /** Expired servers for which `onExpired` has not yet succeeded. */
  #unsettled: readonly ExpiredServers[] = []
  #expiring: Promise<void> | undefined
  #nextRenewal: Promise<void> | undefined
  readonly #serially = createSerial()

  constructor(parts: LeaseParts) {
    this.#parts = parts
  }

  /**
   * Resolves when other servers see this server and `earlier`, its previous run, has expired, so that nothing
   * waits for a lease after a crash. Rejects with `StorageError`.
   */
  async begin(earlier?: ServerId): Promise<void> {
    const { servers, facts, clock } = this.#parts
    const known = await facts()
    this.#renewedAt = clock.monotonic()
    await servers.register(known)
    if (earlier !== undefined)
      await this.#logStorageErrors(async () => this.#settle(await servers.expireOne(earlier)))
    this.#askedAt = this.#renewedAt
    this.#mayExpireAt = this.#renewedAt + LEASE_MS
    this.#state = 'running'
    this.#tickLater()
  }

  /** Stores changed facts. Rejects with `StorageError`. */
  async update(): Promise<void> {
    await this.#serially(async () => {
      if (this.#state !== 'running') return
      // If the lease has expired, the renewal notices that and registers the new facts.
      if (!(await this.#parts.servers.update(await this.#parts.facts()))) await this.#renewOrLog()
    })
  }

  /** Renews at once, because others may have ended this lease. */
  doubt(): void {
    void this.#renewNow()
  }

  #renewNow(): Promise<void> {
    this.#nextRenewal ??= this.#serially(async () => {
      this.#nextRenewal = undefined
      if (this.#state === 'running') await this.#renewOrLog()
    })
    return this.#nextRenewal
  }

  /** Uses a timer, because a renewal may hang. After a pause of the whole process, the timer runs first. */
  #tickLater(): void {
    const { clock } = this.#parts
    clock.later(TICK_MS, () => {
      if (this.#state !== 'running') return
      if (clock.monotonic() - this.#renewedAt >= LEASE_MS) this.#lose()
      if (clock.monotonic() - this.#askedAt >= RENEW_MS) void this.#renewNow()
      this.#tickLater()
    })
  }

  #lose(): void {
    if (this.#isLost) return
    this.#isLost = true
    const { log, onLost } = this.#parts
    log.error({}, 'this server could not renew its lease for too long: other servers may take over its work')
    onLost()
  }

  async #renewOrLog(): Promise<void> {
    await this.#logStorageErrors(async () => {
      await this.#renew()
      // Not awaited: on a slow database, expiring others may take longer than a lease.
      if (this.#renewedAt >= this.#mayExpireAt)
        this.#expiring ??= this.#logStorageErrors(() => this.#expire()).finally(
          () => (this.#expiring = undefined),
        )
    })
  }

  /** A later renewal repeats work that failed with `StorageError`. */
  #logStorageErrors(work: () => Promise<void>): Promise<void> {
    return work().catch(warnOfStorage(this.#parts.log, 'the lease of this server could not be renewed'))
  }

  async #renew(): Promise<void> {
    const { servers, facts, clock, onRenewed, onRestored } = this.#parts
    const asked = clock.monotonic()
    this.#askedAt = asked
    if (!(await servers.renew())) {
      this.#lose()
      // Set before registering, because the next renewal succeeds if only the answer is lost.
      this.#isRestoring = true
      await servers.register(await facts())
    }
    if (asked - this.#renewedAt > GAP_MS) this.#mayExpireAt = asked + LEASE_MS
    this.#renewedAt = asked
    this.#isLost = false
    onRenewed()
    if (!this.#isRestoring) return
    await onRestored()
    this.#isRestoring = false
  }

  async #expire(): Promise<void> {
    await this.#settle(await this.#parts.servers.expire(LEASE_MS))
  }

  async #settle(expired: ExpiredServers): Promise<void> {
    if (expired.servers.length > 0) {
      this.#parts.log.warn({ servers: expired.servers.map(({ name }) => name) }, 'servers have died')
      this.#unsettled = [...this.#unsettled, expired]
    }
    for (const one of this.#unsettled) {
      await this.#parts.onExpired(one)
      this.#unsettled = this.#unsettled.filter((other) => other !== one)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const wasRunning = this.#state === 'running'
    this.#state = 'ended'
    await this.#serially(() => undefined)
    await this.#expiring
    const { servers, log } = this.#parts
    if (wasRunning)
      await servers
        .end()
        .catch((error: unknown) => log.warn({ error }, 'could not end the lease of this server'))
  }
}
