import { payersOf, type Payer } from '../chat/limits/payers.ts'
import type { ServersOfPayers } from '../chat/limits/on-servers.ts'
import { createSerial } from '../lib/jobs/serial.ts'
import { StorageError } from '../chat/errors.ts'
import { createConnectionLimit, type AskedConnection, type WhenTold } from './connection-limit.ts'
import type { SharedPresenceParts } from './elsewhere.ts'
import type { News, PayerRow, PayerStore } from './ports.ts'
import type { ServerId } from './server-id.ts'

/** Changes are told together, so often in milliseconds. */
const TELL_MS = 250

/** How long it is waited until what could not be told is told, in milliseconds. */
const AGAIN_MS = 5_000

/** Who is on which server, kept as the database has it. */
export interface SharedPayers extends ServersOfPayers {
  /** Reads who is elsewhere. Rejects with `StorageError`. */
  readAgain(): Promise<void>
  /** Tells of all who are here once more: others took this server for dead. */
  tellAgain(): void
}

export function createSharedPayers(
  payers: PayerStore,
  news: Pick<News, 'on'>,
  { clock, log, takenForDead }: SharedPresenceParts,
): SharedPayers {
  const here = new Map<string, number>()
  const untold = new Set<string>()
  let isTelling = false
  let isHurrying = false
  let isFailing = false
  let elsewhere = new Map<string, ReadonlyMap<ServerId, number>>()

  /** What is counted is told in the order of the counting. */
  const serially = createSerial()

  function count(payer: string, by: 1 | -1, told: WhenTold): void {
    const connections = (here.get(payer) ?? 0) + by
    if (connections > 0) here.set(payer, connections)
    else here.delete(payer)
    if (told === 'already') return
    untold.add(payer)
    if (told === 'now') tellNow()
    else tellLater()
  }

  function connectionsElsewhere(payer: string): number {
    let sum = 0
    for (const connections of elsewhere.get(payer)?.values() ?? []) sum += connections
    return sum
  }

  const limited = createConnectionLimit(
    payers,
    { here: (payer) => here.get(payer) ?? 0, elsewhere: connectionsElsewhere, add: count },
    serially,
    { clock, log, takenForDead },
  )

  function tellLater(): void {
    if (isTelling) return
    isTelling = true
    clock.later(isFailing ? AGAIN_MS : TELL_MS, () => {
      isTelling = false
      void serially(tell)
    })
  }

  /** Those of one moment, and those who come while another transaction is under way, are told together. */
  function tellNow(): void {
    if (isFailing) return tellLater()
    if (isHurrying) return
    isHurrying = true
    void serially(() => {
      isHurrying = false
      return tell()
    })
  }

  async function tell(): Promise<void> {
    if (untold.size === 0) return
    const told = [...untold]
    untold.clear()
    try {
      await payers.put(told.map((payer) => ({ payer, connections: here.get(payer) ?? 0 })))
      isFailing = false
    } catch (error) {
      if (error instanceof StorageError && error.reason === 'taken-for-dead') takenForDead()
      else log.warn({ error }, 'other servers were not told who is here')
      for (const payer of told) untold.add(payer)
      isFailing = true
      tellLater()
    }
  }

  function take(rows: readonly PayerRow[]): void {
    for (const { payer, server, connections } of rows)
      elsewhere.set(payer, new Map(elsewhere.get(payer)).set(server, connections))
  }

  news.on('payers', async (keys: readonly string[]) => {
    const names = keys.flatMap((key) => key.split('\n'))
    const rows = await payers.elsewhere(names)
    for (const name of names) elsewhere.delete(name)
    take(rows)
  })

  return {
    begin(person) {
      const names = namesOf(payersOf(person))
      for (const name of names) count(name, 1, 'soon')
      let isOver = false
      return () => {
        if (!isOver) for (const name of names) count(name, -1, 'soon')
        isOver = true
      }
    },
    async beginWithin(person, limit) {
      const all = payersOf(person)
      const bounded = all.filter(({ kind }) => kind !== 'network')
      const asked: AskedConnection = { payers: namesOf(all), bounded: namesOf(bounded), limit }
      if (!(await limited.take(asked))) return undefined
      let isOver = false
      return () => {
        if (!isOver) limited.giveBack(asked)
        isOver = true
      }
    },
    servers(payer, when) {
      let others = 0
      for (const connections of elsewhere.get(payer)?.values() ?? [])
        if (connections > 0 || when === 'today') others++
      return 1 + others
    },
    async readAgain() {
      const rows = await payers.elsewhere()
      elsewhere = new Map()
      take(rows)
    },
    tellAgain() {
      if (here.size === 0) return
      for (const payer of here.keys()) untold.add(payer)
      tellLater()
    },
  }
}

const namesOf = (payers: readonly Payer[]): readonly string[] => payers.map(({ name }) => name)
