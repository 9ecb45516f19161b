import { Client, type ClientConfig } from 'pg'

/** A client of the pool, with what the driver leaves to those who use it. */
export class PooledClient extends Client {
  constructor(config?: ClientConfig) {
    super(config)
    // One that ends while it is used has rejected its statement, and emits the same error once more.
    this.on('error', () => undefined)
  }

  override connect(): Promise<Client>
  override connect(done: Connected): void
  override connect(done?: Connected): Promise<Client> | undefined {
    if (!done) return super.connect()
    super.connect((error: Error) => {
      // A login that fails on our side, as without a password, would stay open until PostgreSQL ends it.
      if (error) void this.end()
      Reflect.apply(done, undefined, [error, this])
    })
    return undefined
  }
}

type Connected = Parameters<Client['connect']>[0]
