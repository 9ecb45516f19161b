import { execa } from 'execa'
import type { AnyServer } from './server.ts'
import { clientSettings, type SshResult } from './ssh.ts'
import type { Stage } from './stage.ts'

/** Runs OpenSSH's `scp` as somebody; `host:` in a word is the server. */
export const scp = (stage: Stage<AnyServer>, name: string, words: readonly string[]): Promise<SshResult> =>
  transfer(stage, name, 'scp', words)

/** Runs OpenSSH's `sftp` with these commands, until one fails. */
export const sftp = (
  stage: Stage<AnyServer>,
  name: string,
  commands: readonly string[],
): Promise<SshResult> => transfer(stage, name, 'sftp', ['-b', '-', 'host:'], commands.join('\n'))

async function transfer(
  stage: Stage<AnyServer>,
  name: string,
  program: 'scp' | 'sftp',
  words: readonly string[],
  input = '',
): Promise<SshResult> {
  const key = await stage.home.key(name)
  const place = ['-F', '/dev/null', '-P', String(stage.server.port), '-i', key, '-o', 'LogLevel=ERROR']
  const options = [...place, '-o', `User=${name}`, '-o', 'HostName=127.0.0.1', ...clientSettings]
  const { stdout, stderr, exitCode } = await execa(program, [...options, ...words], {
    cwd: stage.dir,
    input,
    reject: false,
  })
  return { stdout, stderr, exitCode }
}
