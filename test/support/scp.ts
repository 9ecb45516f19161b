import { execa } from 'execa'
import type { AnyServer } from './server.ts'
import type { Stage } from './stage.ts'

export interface Transferred {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number | undefined
}

/** Runs OpenSSH's `scp` as somebody; `host:` in a word is the server. */
export const scp = (stage: Stage<AnyServer>, name: string, words: readonly string[]): Promise<Transferred> =>
  transfer(stage, name, 'scp', words)

/** Runs OpenSSH's `sftp` with these commands, until one fails. */
export const sftp = (
  stage: Stage<AnyServer>,
  name: string,
  commands: readonly string[],
): Promise<Transferred> => transfer(stage, name, 'sftp', ['-b', '-', 'host:'], commands.join('\n'))

async function transfer(
  stage: Stage<AnyServer>,
  name: string,
  program: 'scp' | 'sftp',
  words: readonly string[],
  input = '',
): Promise<Transferred> {
  const settings = [
    `User=${name}`,
    'HostName=127.0.0.1',
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'PreferredAuthentications=publickey',
    'BatchMode=yes',
    'LogLevel=ERROR',
  ]
  const place = ['-F', '/dev/null', '-P', String(stage.server.port), '-i', await stage.home.key(name)]
  const options = settings.flatMap((setting) => ['-o', setting])
  const { stdout, stderr, exitCode } = await execa(program, [...place, ...options, ...words], {
    cwd: stage.dir,
    input,
    reject: false,
  })
  return { stdout, stderr, exitCode }
}
