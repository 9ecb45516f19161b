import { setTimeout as pause } from 'node:timers/promises'
import type { Machine } from '../support/faults/machine.ts'
import { connectTo, type Connection } from './connection.ts'
import type { Act, History } from './history.ts'
import type { Random } from './random.ts'

/** What all clients of a run share. */
export interface World {
  readonly history: History
  readonly machines: readonly Machine[]
  /** Those that were made, or may have been. */
  readonly rooms: Set<string>
  /** Whom the admin may ban. */
  readonly victims: readonly string[]
}

/** Something that a client does in its session, or beside it. */
export type Doing = (client: Client) => Promise<void>

/** Somebody with a key, who does one thing after another and comes again wherever the connection was lost. */
export interface Client {
  readonly name: string
  readonly random: Random
  readonly world: World
  /** Present while there is one; it may have ended. */
  connection(): Connection | undefined
  /** A word that stands in no other line. */
  newMark(): string
  /** Notes what is done, and what came of it. */
  note(what: Pick<Act, 'kind' | 'room' | 'mark'>, work: (act: Act) => Promise<void>): Promise<void>
  /** Does what is chosen, one thing after another, until the signal. */
  live(choose: (client: Client) => Doing, isOver: AbortSignal): Promise<void>
  /** Has an open session, if need be on another server. False where none lets it in. */
  beThere(): Promise<boolean>
}

/** Between two things that it does, in milliseconds. */
const THINKS_MS = [50, 400] as const

/** Until it tries another server. */
const AGAIN_MS = 300

/** So often in a hundred it goes elsewhere after something it did. */
const RESTLESS = 4

/** So often it is tried to come in at the end. */
const ATTEMPTS = 60

export function createClient(name: string, world: World, random: Random): Client {
  const { history, machines } = world
  let connection: Connection | undefined
  let marks = 0

  async function comeIn(): Promise<boolean> {
    try {
      connection = await connectTo(random.pick(machines), name, history)
      const { visit } = connection
      if (!(await connection.shows(/^-- (\w+)$/m, 0))) return false
      visit.stays.push({ room: 'lobby', askedAt: visit.openedAt, from: history.now(), until: visit.endedAt })
      return connection.isOpen()
    } catch {
      await pause(AGAIN_MS)
      return false
    }
  }

  async function doSomething(choose: (client: Client) => Doing): Promise<void> {
    if (!connection?.isOpen() && !(await comeIn())) return
    await pause(random.between(...THINKS_MS))
    await choose(client)(client)
    // Whoever got no answer tries elsewhere, as a person does.
    const isStuck = history.acts.findLast((act) => act.client === name)?.detail === NO_ANSWER
    if (connection && (isStuck || random.between(1, 100) <= RESTLESS)) await connection.leave()
  }

  const client: Client = {
    name,
    random,
    world,
    connection: () => connection,
    newMark: () => `${name}-${++marks}`,
    async note(what, work) {
      if (!connection) return
      const act: Act = {
        ...{ client: name, machine: connection.machine.name, ...what },
        ...{ begunAt: history.now(), endedAt: Infinity, outcome: 'unknown', detail: NO_ANSWER },
      }
      history.acts.push(act)
      await work(act)
      act.endedAt = history.now()
    },
    async live(choose, isOver) {
      while (!isOver.aborted) await doSomething(choose)
    },
    async beThere() {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++)
        if (connection?.isOpen() || (await comeIn())) return true
      return false
    },
  }
  return client
}

/** What is noted until there is an answer. */
const NO_ANSWER = 'no answer'
