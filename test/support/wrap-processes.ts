import { readFile } from 'node:fs/promises'

/** The wrap processes that are children of a process, by their ids. Linux only. */
export async function wrapProcesses(parent: number): Promise<readonly number[]> {
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '')
  const found: number[] = []
  for (const pid of children.split(' ').filter(Boolean)) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (line.includes('wrap-process.js')) found.push(Number(pid))
  }
  return found
}
