import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { errorCode } from '../../lib/errors.ts'

/** How to wait for a lock. */
export interface LockWait {
  /** Ends the waiting; its reason is thrown. */
  readonly signal: AbortSignal
  /** A lock that stays the same for so long is one of a server that died, in ms; 30,000 when absent. A change takes some ms. */
  readonly staleMs?: number
}

const STALE_MS = 30_000
const PAUSE_MS = 20

/**
 * Does work while no other server that shares the directory does any under this lock: a file that only one can make, on
 * NFS too (open(2), `O_EXCL`). It holds its maker's id. No clock of another machine is asked how old it is.
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
    // Whoever took it away has reason to believe that we are gone; theirs must stay.
    if ((await holderOf(file)) === id) await rm(file, { force: true })
  }
}

async function take(file: string, id: string, signal: AbortSignal, staleMs: number): Promise<void> {
  let seen: string | undefined
  let waitedMs = 0
  while (!(await makes(file, id))) {
    const holder = await holderOf(file)
    if (holder !== seen) [seen, waitedMs] = [holder, 0]
    else if (holder !== undefined && waitedMs > staleMs) await takeAway(file, holder)
    await wait(PAUSE_MS)
    // Where the machine stood still, so may the holder have: only what was waited between looks counts.
    waitedMs += PAUSE_MS
    signal.throwIfAborted()
  }
}

async function makes(file: string, id: string): Promise<boolean> {
  try {
    await writeFile(file, id, { flag: 'wx' })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Opening a file asks NFS anew, where looking at its times would not (nfs(5), close-to-open consistency). */
async function holderOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESTALE') return undefined
    throw error
  }
}

/** Only one of several who find it stale moves it. Who moves a new one by that, within less than a ms, puts it back. */
async function takeAway(file: string, holder: string): Promise<void> {
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
