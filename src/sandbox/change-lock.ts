import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { errorCode } from '../base/errors.ts'

export interface LockWait {
  /** Ends the wait with its reason when aborted. */
  readonly signal: AbortSignal
  /** After these ms an unchanged lock counts as a dead server's; default 30,000 (a change takes some ms). */
  readonly staleMs?: number
}

const STALE_MS = 30_000
const PAUSE_MS = 20

/**
 * Runs work while no other server that shares the directory runs any under this lock: a file that only one
 * server can create, on NFS too (open(2), `O_EXCL`). The file contains its creator's id. Its age is not read
 * from another machine's clock.
 */
export async function underLock<T>(
  file: string,
  { signal, staleMs }: LockWait,
  work: () => Promise<T>,
): Promise<T> {
  const id = randomUUID()
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await take(file, id, signal, staleMs ?? STALE_MS)
  try {
    return await work()
  } finally {
    // A server that took the lock away had reason to believe that this one is gone. Its own lock must stay.
    if ((await holderOf(file)) === id) await rm(file, { force: true })
  }
}

async function take(file: string, id: string, signal: AbortSignal, staleMs: number): Promise<void> {
  let seen: string | undefined
  let waitedMs = 0
  while (!(await tryCreate(file, id))) {
    const holder = await holderOf(file)
    if (holder !== seen) [seen, waitedMs] = [holder, 0]
    else if (holder !== undefined && waitedMs > staleMs) await removeStale(file, holder)
    await wait(PAUSE_MS)
    // Counts only the pauses between checks: if this machine was suspended, the holder's may have been, too.
    waitedMs += PAUSE_MS
    signal.throwIfAborted()
  }
}

async function tryCreate(file: string, id: string): Promise<boolean> {
  try {
    await writeFile(file, id, { flag: 'wx' })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Opening a file asks NFS anew; reading its times would not (nfs(5), close-to-open consistency). */
async function holderOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESTALE') return undefined
    throw error
  }
}

/** Only one server can rename a stale lock. A server that renames a newer one by mistake puts it back. */
async function removeStale(file: string, holder: string): Promise<void> {
  if ((await holderOf(file)) !== holder) return
  const moved = `${file}.${randomUUID()}`
  try {
    await rename(file, moved)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return
    throw error
  }
  if ((await holderOf(moved)) === holder) await rm(moved, { force: true })
  else await rename(moved, file)
}
