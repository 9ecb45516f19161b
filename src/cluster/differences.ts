import type { Log } from '../chat/ports.ts'
import { createSerial } from '../lib/jobs/serial.ts'
import type { ServerFacts, ServerRecord, ServerStore } from './ports.ts'
import type { ServerId } from './server-id.ts'

/** How this server differs from the others in what all should have in common. Each server finds it out by itself, from the database. */
export interface Differences {
  /** Compares again, and says what it did not say before. Rejects with `StorageError`. */
  look(): Promise<void>
  /** Those that there are, as sentences for admins. */
  now(): readonly string[]
}

/** What it is made of. */
export interface DifferencesParts {
  readonly server: ServerId
  readonly servers: Pick<ServerStore, 'alive'>
  /** Tells the admins who are here through this server. */
  readonly tell: (sentence: string) => void
  readonly log: Log
}

/** Among the facts of a server whose machine has a wrong clock: by how much. Others have none. */
export const CLOCK_FACT = 'the clock of the machine'

/** For the others: `3600 s ahead of`. */
export const clockFact = (aheadMs: number): ServerFacts['shared'] =>
  aheadMs === 0
    ? {}
    : { [CLOCK_FACT]: `${Math.abs(aheadMs) / 1_000} s ${aheadMs > 0 ? 'ahead of' : 'behind'}` }

export function createDifferences({ server, servers, tell, log }: DifferencesParts): Differences {
  /** The sentences, by what they are about: a server may have another name than when it began. */
  let known: ReadonlyMap<string, string> = new Map()
  const serially = createSerial()

  async function look(): Promise<void> {
    const found = differencesOf(server, await servers.alive())
    const before = known
    known = found
    for (const [about, difference] of before)
      if (!found.has(about)) log.info({ difference }, 'a difference between servers is over')
    for (const [about, difference] of found) {
      if (before.has(about)) continue
      log.warn({ difference }, 'servers of one database differ')
      tell(difference)
    }
  }

  return { look: () => serially(look), now: () => [...known.values()] }
}

function differencesOf(server: ServerId, all: readonly ServerRecord[]): ReadonlyMap<string, string> {
  const own = all.find(({ id }) => id === server)
  const sentences = new Map<string, string>()
  for (const one of all) {
    const wrong = one.shared[CLOCK_FACT]
    if (typeof wrong === 'string')
      sentences.set(
        `${one.id} clock ${wrong}`,
        `the clock of the server ${one.name} is ${wrong} the database's, which it goes by; put it right`,
      )
    const parts = own ? partsOf(own, one) : []
    if (own && parts.length > 0) sentences.set(`${one.id} ${parts.join()}`, sentenceOf(own, one, parts))
  }
  return sentences
}

const sentenceOf = (own: ServerFacts, other: ServerFacts, parts: readonly string[]): string =>
  `the server ${own.name} is not as the server ${other.name} with the same rooms: ${parts.join('; ')}`

/** Two versions side by side are usual during a deployment, and are said first. */
function partsOf(own: ServerFacts, other: ServerFacts): readonly string[] {
  const names = [...new Set([...Object.keys(own.shared), ...Object.keys(other.shared)])].toSorted()
  const different = names.filter((name) => name !== CLOCK_FACT && own.shared[name] !== other.shared[name])
  const versions =
    own.version === other.version ? [] : [`it runs ${own.version}, and that one ${other.version}`]
  const shared = different.length === 0 ? [] : [`they differ in ${different.join(', ')}`]
  return [...versions, ...shared]
}
