import crypto from 'node:crypto'
import { createRequire } from 'node:module'
import type library from 'ssh2'

/**
 * ssh2, loaded with a pool of random bytes: it asks the system for the padding of each packet, which costs as
 * much as encrypting it (7 % of the server's time with 500 people at 50 lines a second). It is required and
 * not imported, because for an import Node would parse all files again to find their exports.
 */
export const ssh2 = loadWith(pooledRandom())

/** Replaces `crypto.randomFillSync` while ssh2 loads, because ssh2 reads it only then. */
function loadWith(randomFillSync: typeof crypto.randomFillSync): typeof library {
  const usual = crypto.randomFillSync
  crypto.randomFillSync = randomFillSync
  try {
    return createRequire(import.meta.url)('ssh2') as typeof library
  } finally {
    crypto.randomFillSync = usual
  }
}

/** Larger requests bypass the pool: they are rare and for keys. */
const MAX_POOLED_BYTES = 32

/** Fills small buffers from the pool. Each byte is used once. */
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
