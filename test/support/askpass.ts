import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SshTarget } from './ssh.ts'

/** Answers what the OpenSSH client asks, and keeps what it asked. */
export type Askpass = Awaited<ReturnType<typeof createAskpass>>

export async function createAskpass(dir: string) {
  const [program, asked] = [join(dir, 'askpass'), join(dir, 'asked')]
  await writeFile(asked, '')
  await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$1" >> '${asked}'\nprintf '%s\\n' "$ANSWER"\n`)
  await chmod(program, 0o700)
  return {
    /** The part of a target with which the client asks: each time it gets this answer. */
    answering: (answer: string): Required<Pick<SshTarget, 'options' | 'env'>> => ({
      options: [
        ...['-o', 'BatchMode=no', '-o', 'PreferredAuthentications=publickey,keyboard-interactive'],
        ...['-o', 'NumberOfPasswordPrompts=3'],
      ],
      env: { SSH_ASKPASS: program, SSH_ASKPASS_REQUIRE: 'force', ANSWER: answer },
    }),
    asked: (): Promise<string> => readFile(asked, 'utf8'),
  }
}
