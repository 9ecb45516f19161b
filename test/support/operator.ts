import { execa } from 'execa'
import { lateOptimizing } from './node-flags.ts'
import { ssh } from './ssh.ts'
import type { Stage } from './stage.ts'

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname

/** `sshawl WORDS…`, as an operator has it. */
export const operator = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  execa(process.execPath, [...lateOptimizing, MAIN, ...words], { reject: false, env })

/** What alice is answered by the stage's server, or by the one at another port. */
export async function aliceReads(
  stage: Stage,
  words: readonly string[],
  port = stage.server.port,
): Promise<string> {
  const key = await stage.home.key('alice')
  return (await ssh({ user: 'alice', port, key, options: ['-o', 'LogLevel=ERROR'] }, words)).stdout
}
