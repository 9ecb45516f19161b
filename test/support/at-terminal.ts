import type { AnyServer } from './server.ts'
import { openSsh, type SshSession } from './ssh.ts'
import type { Stage } from './stage.ts'
import { createEmulator } from './terminal.ts'

export interface Screened extends AsyncDisposable {
  readonly session: SshSession
  /** Resolves once all of what was shown, the last rows as they are now, matches. */
  shows(wanted: RegExp): Promise<void>
  /** Types a line and presses Enter. */
  type(line: string): void
  /** Leaves the server by ^D. */
  quit(): Promise<void>
}

/** Returns a function that opens a terminal of OpenSSH; with words, `ssh -tt HOST WORDS…`. */
export const terminalsOf = (stage: Pick<Stage<AnyServer>, 'server' | 'home'>) =>
  async function atTerminal(name: string, ...words: string[]): Promise<Screened> {
    const target = { user: name, port: stage.server.port, key: await stage.home.key(name), options: ['-tt'] }
    const session = openSsh(target, words)
    const emulator = createEmulator(80, 24)
    const watchers = new Set<() => void>()
    session.child.stdout.on('data', (text: string) => {
      void emulator.write(text).then(() => watchers.forEach((look) => look()))
    })
    return {
      session,
      shows: (wanted) =>
        new Promise((resolve, reject) => {
          const fail = (): void =>
            reject(new Error(`no ${wanted} in:\n${emulator.all().join('\n')}\n${session.errors()}`))
          const look = (): void => {
            if (!wanted.test(emulator.all().join('\n'))) return
            watchers.delete(look)
            session.child.off('close', fail)
            resolve()
          }
          watchers.add(look)
          session.child.once('close', fail)
          look()
        }),
      type: (line) => session.write(`${line}\r`),
      async quit() {
        session.write('\u0004')
        await session.exit
      },
      [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
    }
  }
