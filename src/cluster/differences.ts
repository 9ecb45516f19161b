import type { Log } from '../chat/ports.ts'
import { createSerial } from '../lib/jobs/serial.ts'
import type { ServerStore } from './ports.ts'
import type { ServerId } from './server-id.ts'

export interface Differences {
  /** Compares again, and tells admins of servers that began to differ. Rejects with `StorageError`. */
  look(): Promise<void>
  /** A sentence for each server that differs. */
  now(): readonly string[]
}

/** Compares this server with the others of its database. `tell` tells the admins who are here. */
export function createDifferences(parts: {
  readonly server: ServerId
  readonly servers: Pick<ServerStore, 'alive'>
  readonly tell: (sentence: string) => void
  readonly log: Log
}): Differences {
  let known: ReadonlyMap<ServerId, string> = new Map()
  const serially = createSerial()

  async function look(): Promise<void> {
    const all = await parts.servers.alive()
    const own = all.find(({ id }) => id === parts.server)
    const before = known
    known = new Map(
      all
        .filter(({ version, config }) => own && (version !== own.version || config !== own.config))
        .map(({ id, name }) => [id, `the server ${name} runs another version or config`]),
    )
    for (const [id, sentence] of known) {
      if (before.has(id)) continue
      parts.log.warn({}, sentence)
      parts.tell(sentence)
    }
  }

  return { look: () => serially(look), now: () => [...known.values()] }
}
