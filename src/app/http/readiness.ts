import { StorageError } from '../../chat/errors.ts'
import type { AppStorage } from '../context.ts'

/** An answer holds so long, in ms: whoever asks often does not keep the disk busy. */
const HOLDS_MS = 1_000
/** A disk that takes longer, in ms, is in trouble. */
const PATIENCE_MS = 2_000

/**
 * Asks the storage whether something could be stored just now, once for all who ask within a second. Gives why not, in words
 * for anybody; the log has more. Never rejects.
 */
export function createReadiness(
  { health }: Pick<AppStorage['upkeep'], 'health'>,
  now: () => number,
): () => Promise<string | undefined> {
  let last: { readonly at: number; readonly why: Promise<string | undefined> } | undefined
  return async () => {
    if (!last || now() - last.at > HOLDS_MS) last = { at: now(), why: whyNot(health) }
    return await last.why
  }
}

async function whyNot(health: AppStorage['upkeep']['health']): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('the storage does not answer'), PATIENCE_MS)
  })
  const stored = health().then(
    () => undefined,
    (error: unknown) => `nothing can be stored just now${isFull(error) ? ': the disk is full' : ''}`,
  )
  return await Promise.race([stored, late]).finally(() => clearTimeout(timer))
}

const isFull = (error: unknown): boolean => error instanceof StorageError && error.reason === 'full'
