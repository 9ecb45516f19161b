import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { lateOptimizing } from './node-flags.ts'
import { writeConfig, writeNoConfig } from './stored.ts'

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname

/** A running sshawl, wherever it runs. */
export interface AnyServer extends AsyncDisposable {
  readonly port: number
  readonly claimCode: string | undefined
  /** Where it serves HTTP, if it was asked to: `http://127.0.0.1:PORT`. */
  readonly http: string
  readonly dataDir: string
  stderr(): string
  /** Resolves when it has ended. Only a process of its own can be killed. */
  stop(how: 'SIGTERM' | 'SIGKILL'): Promise<unknown>
}

/** The built one, in a process of its own. */
export interface Server extends AnyServer {
  /** The lines of standard output up to `listening`. */
  readonly lines: readonly string[]
  readonly process: ChildProcess
  /** Sends a signal; resolves to the exit status, null when the signal ended it. */
  stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>
}

export interface ServerOptions {
  readonly dataDir: string
  readonly config?: string
  /** Whether to serve HTTP, too; a text is the address. */
  readonly http?: boolean | string
  /** The host that it listens on; 127.0.0.1 if absent. */
  readonly host?: string
}

/** Starts the server and waits until it listens. Rejects with its errors if it ends before. */
export async function startServer(
  options: ServerOptions & {
    readonly env?: Readonly<Record<string, string>>
    readonly main?: string | undefined
    /** Of Node. As for tests where absent: a bench starts the server as it is deployed. */
    readonly nodeFlags?: readonly string[] | undefined
  },
): Promise<Server> {
  const {
    dataDir,
    config,
    env,
    host = '127.0.0.1',
    http = false,
    main = MAIN,
    nodeFlags = lateOptimizing,
  } = options
  const file = await (config === undefined ? writeNoConfig(dataDir) : writeConfig(dataDir, config))
  const args = [
    'serve',
    '--listen',
    `${host}:0`,
    '--data',
    dataDir,
    ...(file === undefined ? [] : ['--config', file]),
    ...(http === false ? [] : ['--http', http === true ? '127.0.0.1:0' : http]),
  ]
  const child = spawn(process.execPath, [...nodeFlags, main, ...args], {
    env: { PATH: process.env['PATH'], HOME: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line.startsWith(`sshawl listening on ${http ? 'http' : 'ssh'}://`)) break
  }
  const port = Number(/ssh:\/\/127\.0\.0\.1:(\d+)$/m.exec(lines.join('\n'))?.[1])
  if (!port) throw new Error(`the server did not start:\n${lines.join('\n')}\n${errors}`)
  const stop: Server['stop'] = async (signal) => {
    child.kill(signal)
    return ended
  }
  return {
    port,
    claimCode: /^claim code (\S+)/.exec(lines.find((line) => line.startsWith('claim code')) ?? '')?.[1],
    http: /^sshawl listening on (http:.*)$/m.exec(lines.join('\n'))?.[1] ?? '',
    lines,
    dataDir,
    process: child,
    stderr: () => errors,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop('SIGKILL')),
  }
}
