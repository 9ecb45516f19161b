import { setTimeout as pause } from 'node:timers/promises'
import type { Machine } from '../support/faults/machine.ts'
import { connectTo, type Connection } from './connection.ts'
import type { Act, History } from './history.ts'
import type { Random } from './random.ts'

export interface World {
  readonly history: History
  readonly machines: readonly Machine[]
  /** Those that were made, or may have been. */
  readonly rooms: Set<string>
  /** Whom the admin may ban. */
  readonly victims: readonly string[]
}

/** Something that a client does in its session, or beside it. */
export type Doing = (client: Client) => Promise<unknown>

/** Between two things that it does, in milliseconds. */
const THINKS_MS = [50, 400] as const

/** Until it tries another server. */
const AGAIN_MS = 300

/** How often in a hundred it goes elsewhere after something it did. */
const RESTLESS = 4

/** How often it is tried to come in at the end. */
const ATTEMPTS = 60

/** What is noted until there is an answer. */
const NO_ANSWER = 'no answer'

/** Somebody with a key, who does one thing after another and comes again wherever the connection was lost. */
export class Client {
  readonly name: string
  readonly random: Random
  readonly world: World
  /** Present while there is one; it may have ended. */
  connection: Connection | undefined
  #marks = 0

  constructor(name: string, world: World, random: Random) {
    this.name = name
    this.world = world
    this.random = random
  }

  /** The room that it is in; empty without a connection. */
  get room(): string {
    return this.connection?.visit.stays.at(-1)?.room ?? ''
  }

  /** A word that is in no other line. */
  newMark(): string {
    return `${this.name}-${++this.#marks}`
  }

  /** Notes what is done on its connection, if it has one, and what came of it. */
  async note(
    what: Pick<Act, 'kind' | 'room' | 'mark'>,
    work: (act: Act, connection: Connection) => Promise<void>,
  ): Promise<void> {
    const { connection, name } = this
    const { history } = this.world
    if (!connection) return
    const act: Act = {
      ...{ client: name, machine: connection.machine.name, ...what },
      ...{ begunAt: history.now(), endedAt: Infinity, outcome: 'unknown', detail: NO_ANSWER },
    }
    history.acts.push(act)
    await work(act, connection)
    act.endedAt = history.now()
  }

  /** Does what is chosen, one thing after another, until the signal. */
  async live(choose: (client: Client) => Doing, isOver: AbortSignal): Promise<void> {
    while (!isOver.aborted) {
      if (!this.connection?.isOpen() && !(await this.#comeIn())) continue
      await pause(this.random.between(...THINKS_MS))
      await choose(this)(this)
      // Whoever got no answer tries elsewhere, as a person does.
      const last = this.world.history.acts.findLast((act) => act.client === this.name)
      const isStuck = last?.detail === NO_ANSWER
      if (isStuck || this.random.between(1, 100) <= RESTLESS) await this.connection?.leave()
    }
  }

  /** Has an open session, if need be on another server. False if none lets it in. */
  async beThere(): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++)
      if (this.connection?.isOpen() || (await this.#comeIn())) return true
    return false
  }

  async #comeIn(): Promise<boolean> {
    const { history, machines } = this.world
    try {
      const connection = await connectTo(this.random.pick(machines), this.name, history)
      this.connection = connection
      const { visit } = connection
      if (!(await connection.shows(/^-- (\w+)$/m, 0))) return false
      visit.stays.push({ room: 'lobby', askedAt: visit.openedAt, from: history.now(), until: visit.endedAt })
      return connection.isOpen()
    } catch {
      await pause(AGAIN_MS)
      return false
    }
  }
}
