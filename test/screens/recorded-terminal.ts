import { once } from 'node:events'
import { spawn } from 'node:child_process'
import xterm from '@xterm/headless'
import { sshArguments, type SshTarget } from '../support/ssh.ts'
import { readScreen, type ScreenRow, type ScreenTheme } from './screen.ts'

/** Bytes of a session as they came, with seconds since its start. */
export interface RecordedOutput {
  readonly at: number
  readonly text: string
}

/** The OpenSSH client in a terminal of this size, whose screen can be read, as somebody types into it. */
export type RecordedTerminal = ReturnType<typeof openRecorded>

const LONGEST_WAIT_MS = 30_000
const QUIET_MS = 700
/** A clock on the screen never rests. */
const LONGEST_SETTLING_MS = 2_000

/** `script` (util-linux) gives the client a terminal, and `stty` its size. */
export function openRecorded(
  target: SshTarget,
  size: { readonly columns: number; readonly rows: number; readonly theme?: ScreenTheme },
) {
  const { columns, rows, theme = 'dark' } = size
  const quoted = ['ssh', ...sshArguments(target, [])].map((word) => `'${word}'`).join(' ')
  const line = `stty cols ${columns} rows ${rows} && exec ${quoted}`
  const child = spawn('script', ['-qfec', line, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'xterm-256color', COLORTERM: 'truecolor' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const emulator = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 5_000 })
  const output: RecordedOutput[] = []
  const watchers = new Set<() => void>()
  const start = performance.now()
  const ended = once(child, 'close')
  child.stdin.on('error', () => {})
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.push({ at: (performance.now() - start) / 1_000, text })
    emulator.write(text, () => {
      for (const look of watchers) look()
    })
  })
  const all = (): string => {
    const buffer = emulator.buffer.active
    return Array.from(
      { length: buffer.length },
      (_, at) => buffer.getLine(at)?.translateToString(true) ?? '',
    ).join('\n')
  }
  return {
    output,
    type: (text: string) => void child.stdin.write(text),
    screen: (): readonly ScreenRow[] => readScreen(emulator, theme),
    /** Resolves when the screen shows the text (in its scrollback as well), or rejects after half a minute with what it shows. */
    shows: (wanted: string | RegExp) =>
      new Promise<void>((resolve, reject) => {
        const stop = (settle: () => void): void => {
          clearTimeout(timer)
          watchers.delete(look)
          settle()
        }
        const look = (): void => {
          if (typeof wanted === 'string' ? all().includes(wanted) : wanted.test(all())) stop(resolve)
        }
        const timer = setTimeout(
          () => stop(() => reject(new Error(`the screen never showed ${wanted}; it shows:\n${all()}`))),
          LONGEST_WAIT_MS,
        )
        watchers.add(look)
        look()
      }),
    /** Resolves when nothing has come for a moment, or after two seconds, so that what was begun is drawn to its end. */
    settles: () =>
      new Promise<void>((resolve) => {
        const stop = (): void => {
          clearTimeout(quiet)
          clearTimeout(longest)
          watchers.delete(later)
          resolve()
        }
        const later = (): void => {
          clearTimeout(quiet)
          quiet = setTimeout(stop, QUIET_MS)
        }
        let quiet = setTimeout(stop, QUIET_MS)
        const longest = setTimeout(stop, LONGEST_SETTLING_MS)
        watchers.add(later)
      }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
