import type { ServerId, ServerStore } from './stores.ts'

/** Servers of the database that run another version or config than this one. */
export class Differences {
  private readonly server: ServerId
  private readonly servers: Pick<ServerStore, 'alive'>
  private readonly found: (sentence: string) => void
  private known: ReadonlyMap<ServerId, string> = new Map()
  private looking: Promise<void> | undefined

  /** `found` is called once for each server that begins to differ. */
  constructor(server: ServerId, servers: Pick<ServerStore, 'alive'>, found: (sentence: string) => void) {
    this.server = server
    this.servers = servers
    this.found = found
  }

  /** A sentence for each server that differs. */
  now(): readonly string[] {
    return [...this.known.values()]
  }

  /** Compares again. Rejects with `StorageError`. */
  look(): Promise<void> {
    this.looking ??= this.compare().finally(() => (this.looking = undefined))
    return this.looking
  }

  private async compare(): Promise<void> {
    const all = await this.servers.alive()
    const own = all.find(({ id }) => id === this.server)
    const before = this.known
    this.known = new Map(
      all
        .filter(({ version, config }) => own && (version !== own.version || config !== own.config))
        .map(({ id, name }) => [id, `the server ${name} runs another version or config`]),
    )
    for (const [id, sentence] of this.known) if (!before.has(id)) this.found(sentence)
  }
}
