import { readFile } from 'node:fs/promises'
import { childProcesses } from './load/process-figures.ts'

/** The wrap processes that are children of a process, by their ids. Linux only. */
export async function wrapProcesses(parent: number): Promise<readonly number[]> {
  const found: number[] = []
  for (const pid of await childProcesses(parent).catch(() => [])) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (line.includes('wrap-process.js')) found.push(pid)
  }
  return found
}
