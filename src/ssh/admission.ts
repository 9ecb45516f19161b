import { COSTS, NetworkPace, networkOf } from '../base/network.ts'
import { Quota, type Release } from '../base/quota.ts'

/** The keys of `[limits]` that concern connections: see docs/security.md. */
export interface SshLimits {
  readonly login_timeout_s: number
  readonly code_timeout_s: number
  readonly keys_offered: number
  readonly unauthenticated_per_address: number
  readonly unauthenticated: number
  readonly address_burst: number
  readonly address_per_s: number
  readonly connections_per_address: number
  readonly connections_per_person: number
  readonly connections: number
  readonly idle_connection_s: number
  readonly channels_per_connection: number
  readonly exec_per_person: number
  readonly exec_per_address: number
  readonly rate_burst: number
  readonly rate_per_s: number
  readonly queue_bytes: number
  readonly queues_mb: number
  readonly stall_s: number
}

/** The slot of one connection, from accept to close. */
export interface Slot {
  /** Delay before `waitForTurn` in ms, for a network that connects too often. */
  readonly delayMs: number
  /** False if the network's last connection logged in, so that scripts get no banner on stderr. */
  readonly showBanner: boolean
  /** Calls `serve`, perhaps at once, when the connection may log in. */
  waitForTurn(serve: () => void): void
  /** Ends the pending login. Returns false, and refuses it, if its network has too many connections. */
  loggedIn(): boolean
  /** A refused client stays to read the reason. It can still be evicted, and counts as a failed login. */
  refused(): void
  firstChannel(): void
  /** Returns the delay of the answer to a wrong code in ms. */
  wrongCode(): number
  /** Frees the slot of a closed connection. May be called again. */
  release(): void
}

/** A connection that is not logged in, or is refused. */
interface PendingLogin {
  readonly network: Network
  readonly evict: () => void
  /** Set once the login waits for its turn. */
  serve?: () => void
  servedAt: number
}

/** The pending logins of a network. Each set is ordered by age, oldest first. */
interface Network {
  readonly pending: Set<PendingLogin>
  readonly waiting: Set<PendingLogin>
  readonly serving: Set<PendingLogin>
  timer?: NodeJS.Timeout
}

/** Pending logins cost little, so a network may have more of them than connections. */
const PENDING_PER_CONNECTION = 8

/**
 * How long a login may take before the next one of its network evicts it; usual logins take less than 1 s.
 * The time is shorter if many wait, so that each gets its turn within about `QUEUE_MS`.
 */
const [SHORTEST_TURN_MS, LONGEST_TURN_MS, QUEUE_MS] = [700, 2_000, 4_000]

const FULL =
  'Too many connections: the server is full. Try again in a few minutes; if it stays so, tell its operator.'

/**
 * Decides which connections are served, and when, by addresses and counts alone. When pending logins reach a
 * limit, the oldest one of the same network, or of the most crowded network, is evicted.
 */
export class Admission {
  readonly #limits: SshLimits
  readonly #pace: NetworkPace
  readonly #total: Quota
  readonly #loggedIn: Quota
  readonly #networks = new Map<string, Network>()
  /** Ordered by age, oldest first, as `#serving` is. */
  readonly #pending = new Set<PendingLogin>()
  readonly #serving = new Set<PendingLogin>()

  constructor(limits: SshLimits) {
    this.#limits = limits
    this.#pace = new NetworkPace(limits)
    this.#total = new Quota(() => limits.connections)
    this.#loggedIn = new Quota(() => limits.connections_per_address)
  }

  /** Returns a slot, or the reason of a refusal as shown to the client. `evict` closes the connection. */
  admit(address: string, evict: () => void): Slot | { readonly refusal: string } {
    const name = networkOf(address)
    const { connections_per_address: perNetwork } = this.#limits
    if (this.#loggedIn.isFull(name))
      return {
        refusal: `Too many connections come from your address: ${perNetwork} are logged in. Close one, or try again in a while.`,
      }
    if (this.#total.isFull('')) mostCrowded(this.#pending, 'pending')?.evict()
    const place = this.#total.take('')
    if (!place) return { refusal: FULL }
    const showBanner = !this.#pace.isKnown(name)
    const delayMs = this.#pace.charge(name, COSTS.connection)
    return { delayMs, showBanner, ...this.#track(name, place, evict) }
  }

  #track(name: string, place: Release, close: () => void): Omit<Slot, 'delayMs' | 'showBanner'> {
    const network = this.#networks.get(name) ?? { pending: new Set(), waiting: new Set(), serving: new Set() }
    this.#networks.set(name, network)
    let leaveLoggedIn: Release | undefined
    let [isRefused, isReleased] = [false, false]
    const fail = (isKnown: boolean): void => {
      this.#pace.setKnown(name, isKnown)
      this.#pace.charge(name, COSTS.failure)
    }
    const refused = (): void => {
      isRefused = true
      fail(true)
      this.#endTurn(login)
    }
    const release = (): void => {
      if (isReleased) return
      isReleased = true
      if (!leaveLoggedIn && !isRefused) fail(false)
      this.#forget(name, login)
      leaveLoggedIn?.()
      place()
    }
    const evict = (): void => {
      release()
      close()
    }
    const login: PendingLogin = { network, evict, servedAt: 0 }
    this.#pending.add(login)
    network.pending.add(login)
    const [oldest] = network.pending
    if (network.pending.size > this.#limits.connections_per_address * PENDING_PER_CONNECTION) oldest?.evict()
    return {
      waitForTurn: (serve) => {
        if (isReleased) return
        login.serve = serve
        network.waiting.add(login)
        this.#serveNext(network)
      },
      loggedIn: () => {
        leaveLoggedIn = this.#loggedIn.take(name)
        if (!leaveLoggedIn) return (refused(), false)
        this.#pace.setKnown(name, true)
        this.#forget(name, login)
        return true
      },
      refused,
      firstChannel: () => void this.#pace.charge(name, COSTS.use),
      wrongCode: () => this.#pace.charge(name, COSTS.wrongCode),
      release,
    }
  }

  /** Serves waiting logins, then sets a timer to evict the oldest served one if others still wait. */
  #serveNext(network: Network): void {
    const { unauthenticated_per_address: most, unauthenticated } = this.#limits
    const { waiting, serving } = network
    for (const login of waiting) {
      if (serving.size >= most) break
      waiting.delete(login)
      login.servedAt = performance.now()
      serving.add(login)
      this.#serving.add(login)
      login.serve?.()
      if (this.#serving.size > unauthenticated) mostCrowded(this.#serving, 'serving')?.evict()
    }
    clearTimeout(network.timer)
    const [longest] = serving
    if (waiting.size === 0 || !longest) return
    const turn = Math.min(LONGEST_TURN_MS, Math.max(SHORTEST_TURN_MS, (QUEUE_MS * most) / waiting.size))
    const left = longest.servedAt + turn - performance.now()
    if (left <= 0) longest.evict()
    else network.timer = setTimeout(() => this.#serveNext(network), left)
  }

  #endTurn(login: PendingLogin): void {
    login.network.waiting.delete(login)
    login.network.serving.delete(login)
    this.#serving.delete(login)
    this.#serveNext(login.network)
  }

  #forget(name: string, login: PendingLogin): void {
    this.#pending.delete(login)
    login.network.pending.delete(login)
    this.#endTurn(login)
    if (login.network.pending.size > 0) return
    clearTimeout(login.network.timer)
    if (this.#networks.get(name) === login.network) this.#networks.delete(name)
  }
}

function mostCrowded(
  logins: ReadonlySet<PendingLogin>,
  kind: 'pending' | 'serving',
): PendingLogin | undefined {
  let found: PendingLogin | undefined
  for (const login of logins) if (!found || login.network[kind].size > found.network[kind].size) found = login
  return found
}
