import type { Person } from '../words/person.ts'
import { Quota, takeAll, type Release } from '../base/quota.ts'
import type { ClientHandler, OfferedKey } from '../terminal/index.ts'
import type { Slot, SshLimits } from './admission.ts'

export interface IdentifiedPerson {
  readonly person: Person
  /** The reason why this person may do nothing, as shown to them; absent if they have access. */
  readonly refusal?: string
}

type QuotaLimits = Pick<SshLimits, 'connections_per_person' | 'exec_per_person' | 'exec_per_address'>

/** Limits connections and commands per person and key. In a cluster, each server allows its fraction. */
export class Quotas {
  readonly #limits: QuotaLimits
  readonly #servers: NonNullable<ClientHandler['servers']>
  readonly #connections = new Quota(() => this.#limits.connections_per_person)
  readonly #commands = new Quota(() => this.#limits.exec_per_person)

  constructor(limits: QuotaLimits, handler: Pick<ClientHandler, 'servers'>) {
    this.#limits = limits
    this.#servers = (kind, id) => handler.servers?.(kind, id) ?? 1
  }

  /** Takes a place in the limits of person, key and address, or returns why not. A refusal takes no place. */
  admit(
    { person, refusal }: IdentifiedPerson,
    { fingerprint }: OfferedKey,
    slot: Pick<Slot, 'loggedIn' | 'refused'>,
  ): Release | { readonly refusal: string } {
    const limit = this.#limits.connections_per_person
    const place = (kind: 'person' | 'key', id: string) => this.#place(this.#connections, kind, id, limit)
    const release =
      refusal === undefined ? takeAll(place('person', person.id), place('key', fingerprint)) : undefined
    if (!release) {
      slot.refused()
      return { refusal: refusal ?? tooManyConnections(limit) }
    }
    if (slot.loggedIn()) return release
    release()
    return { refusal: 'Too many connections come from your address; try again in a while.' }
  }

  /** Counts one more command; undefined if that would exceed a limit. */
  takeCommand({ id, login }: Person): Release | undefined {
    const { exec_per_person: own, exec_per_address: ofNetwork } = this.#limits
    const places = [this.#place(this.#commands, 'person', id, own)]
    if (login)
      places.push(
        this.#place(this.#commands, 'key', login.key, own),
        this.#place(this.#commands, 'network', login.network, ofNetwork),
      )
    return takeAll(...places)
  }

  #place(
    quota: Quota,
    kind: 'person' | 'key' | 'network',
    id: string,
    limit: number,
  ): readonly [Quota, string, number] {
    return [quota, `${kind} ${id}`, Math.max(1, Math.floor(limit / this.#servers(kind, id)))]
  }
}

const tooManyConnections = (limit: number): string =>
  `You have ${limit} connections already, under this name or with this key, and may not have more; close one of them.`
