import { randomBytes } from 'node:crypto'
import type { BusSecret } from '../../src/adapters/wire/seal.ts'

/** The secret of servers that have a database together. */
export function newBusSecret(): BusSecret {
  const key = randomBytes(32)
  return { key, now: () => performance.timeOrigin + performance.now() }
}
