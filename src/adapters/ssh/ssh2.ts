import crypto from 'node:crypto'
import { createRequire } from 'node:module'
import type library from 'ssh2'

/**
 * ssh2, loaded with random bytes from a pool: it asks the system for the padding of each packet, which costs
 * as much as encrypting the packet (7 % of the server's time with 500 people at 50 lines a second). Required
 * and not imported: Node would parse all of its files once more, to see what they export.
 */
export const ssh2 = loadWith(pooledRandom())

/** ssh2 takes `randomFillSync` from `crypto` as it is loaded, and never looks again. */
function loadWith(randomFillSync: typeof crypto.randomFillSync): typeof library {
  const usual = crypto.randomFillSync
  crypto.randomFillSync = randomFillSync
  try {
    return createRequire(import.meta.url)('ssh2') as typeof library
  } finally {
    crypto.randomFillSync = usual
  }
}

/** Larger pieces are not taken from the pool: they are keys, and rare. */
const MAX_POOLED_BYTES = 32

/** Fills small buffers with bytes of which each is given once. */
function pooledRandom(): typeof crypto.randomFillSync {
  const fill = crypto.randomFillSync
  const pool = Buffer.alloc(16_384)
  let used = pool.length
  return (target, offset = 0, bytes = target.byteLength - offset) => {
    if (!Buffer.isBuffer(target) || bytes > MAX_POOLED_BYTES) return fill(target, offset, bytes)
    if (used + bytes > pool.length) {
      fill(pool)
      used = 0
    }
    pool.copy(target, offset, used, used + bytes)
    used += bytes
    return target
  }
}
