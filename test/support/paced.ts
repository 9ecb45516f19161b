import { expect } from 'vitest'
import type { AnyServer } from './server.ts'
import { openSsh, type SshSession } from './ssh.ts'
import type { Stage } from './stage.ts'

/** The third thing that somebody does waits for a second, and each after that for one more. */
export const PACED = '[limits]\nrate_burst = 2\nrate_per_s = 1\n'

/** A command of which the server has heard, with its standard input open. */
export async function begun(stage: Stage<AnyServer>, user: string, line: string): Promise<SshSession> {
  const target = { user, port: stage.server.port, key: await stage.home.key(user), options: ['-v', '-T'] }
  const client = openSsh(target, line.split(' '))
  await client.waitForError('Sending command')
  return client
}

/** Has somebody do so much that what they do next waits for three seconds. */
export const hurry = (stage: Stage<AnyServer>, user: string): Promise<readonly SshSession[]> =>
  Promise.all([1, 2, 3].map(() => begun(stage, user, 'say lobby in a hurry')))

/** What a command prints, once its sender is not too fast for it. */
export async function inTime(stage: Stage<AnyServer>, name: string, line: string): Promise<string> {
  for (;;) {
    const { exitCode, stdout, stderr } = await stage.as(name, line.split(' '))
    if (exitCode === 0) return stdout
    expect(stderr).toContain('too fast')
  }
}
