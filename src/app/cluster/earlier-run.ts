import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServerId } from '../../cluster/server-id.ts'
import { errorCode } from '../../lib/errors.ts'

/** A run of a server, as its data directory remembers it. */
interface Run {
  readonly id: ServerId
  readonly pid: number
}

/**
 * Remembers this run in the data directory, and resolves to the one before, if its process is gone: after a crash the others need not
 * wait until its lease is over. Never rejects: what cannot be read or written is found out by the lease.
 */
export async function replaceRun(dataDir: string, id: ServerId): Promise<ServerId | undefined> {
  const file = join(dataDir, 'server.json')
  const before = await readRun(file)
  const run: Run = { id, pid: process.pid }
  await writeFile(file, JSON.stringify(run), { mode: 0o600 }).catch(() => undefined)
  return before && !isElsewhere(before.pid) ? before.id : undefined
}

async function readRun(file: string): Promise<Run | undefined> {
  try {
    const run = JSON.parse(await readFile(file, 'utf8')) as Partial<Run>
    return typeof run.id === 'string' && typeof run.pid === 'number'
      ? { id: run.id, pid: run.pid }
      : undefined
  } catch {
    return undefined
  }
}

/** Whether another process than this one has the number: in a container each run has the same. */
function isElsewhere(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  }
}
