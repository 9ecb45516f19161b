import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { makeKeyPair } from './load/keys.ts'
import { Spawned } from './spawned.ts'

/** A home directory of its own for the OpenSSH client, gone with the test. */
export type SshHome = Awaited<ReturnType<typeof createSshHome>>

export interface SshTarget {
  readonly user: string
  readonly port: number
  /** Private key file; none when absent. */
  readonly key?: string
  /** More arguments before the host: `['-T']`, `['-o', 'SetEnv=SSHAWL_PLAIN=1']`. */
  readonly options?: readonly string[]
  /** The client's own environment besides PATH: `TERM`. */
  readonly env?: Readonly<Record<string, string>>
}

export interface SshResult {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number | undefined
}

/** A running OpenSSH client that a test types into. */
export type SshSession = ReturnType<typeof openSsh>

export async function createSshHome() {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-home-'))
  const made = new Map<string, Promise<string>>()
  const fileOf = (name: string): string => join(dir, `key-${name}`)
  const key = (name: string, args?: readonly string[]): Promise<string> => {
    const file = made.get(name) ?? (args ? makeKey(fileOf(name), name, args) : usualKey(name, fileOf(name)))
    made.set(name, file)
    return file
  }
  return {
    dir,
    /** Makes a key on first use: with ssh-keygen where it is given arguments. Returns the private key's file. */
    key,
    /** The key's `SHA256:` fingerprint as ssh-keygen prints it. */
    async fingerprint(name: string): Promise<string> {
      const { stdout } = await execa('ssh-keygen', ['-lf', `${await key(name)}.pub`])
      return stdout.split(' ')[1]!
    },
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  }
}

async function makeKey(file: string, name: string, args: readonly string[]): Promise<string> {
  await execa('ssh-keygen', ['-q', '-N', '', '-C', name, '-f', file, ...args], { stdin: 'ignore' })
  return file
}

/** The usual keys, by name: each is made once for all tests of this process, and here, since hundreds of ssh-keygens take seconds. */
const usualKeys = new Map<string, ReturnType<typeof makeKeyPair>>()

async function usualKey(name: string, file: string): Promise<string> {
  const pair = usualKeys.get(name) ?? makeKeyPair(name)
  usualKeys.set(name, pair)
  await writeFile(file, pair.private, { mode: 0o600 })
  await writeFile(`${file}.pub`, `${pair.public}\n`)
  return file
}

/** Runs one command (`args` as the shell would have split them) to its end. */
export async function ssh(
  target: SshTarget,
  args: readonly string[],
  options: { readonly input?: string | Uint8Array } = {},
): Promise<SshResult> {
  const session = openSsh(target, args)
  session.child.stdin.end(options.input ?? '')
  const status = await session.exit
  return { stdout: session.output(), stderr: session.errors(), exitCode: status ?? undefined }
}

/** Starts a session (or a command) and leaves it running. `options` of the target say whether with a pty. */
export function openSsh(target: SshTarget, args: readonly string[] = []) {
  const child = new Spawned('ssh', sshArguments(target, args), clientEnv(target))
  const out = collect(child, child.stdout)
  const err = collect(child, child.stderr)
  child.stdin.on('error', () => undefined)
  const exit = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  return {
    child,
    /** The client's exit status; null when a signal ended it. */
    exit,
    output: out.text,
    errors: err.text,
    write: (text: string) => void child.stdin.write(text),
    close: () => void child.stdin.end(),
    /** Resolves with the output once it contains `text` (after position `from`); rejects when the client ends first. */
    waitFor: out.waitFor,
    /** Standard error, otherwise as `waitFor`. */
    waitForError: err.waitFor,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exit
    },
  }
}

export function sshArguments(
  { user, port, key, options = [] }: SshTarget,
  args: readonly string[],
): string[] {
  // The client takes the first value that it is given.
  const place = ['-F', '/dev/null', '-p', String(port), '-l', user, ...options]
  return [...place, ...clientSettings, '-i', key ?? '/nonexistent/key', '127.0.0.1', ...args]
}

/** Options of all OpenSSH clients: they know no host, ask nothing, and have no key but a given one. */
export const clientSettings: readonly string[] = [
  ...['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'GlobalKnownHostsFile=/dev/null'],
  ...['IdentitiesOnly=yes', 'IdentityAgent=none', 'PreferredAuthentications=publickey'],
  ...['BatchMode=yes', 'LogLevel=INFO'],
].flatMap((setting) => ['-o', setting])

const clientEnv = ({ env = {} }: SshTarget) => ({
  PATH: process.env['PATH'] ?? '',
  TERM: 'xterm-256color',
  ...env,
})

function collect(child: Spawned, stream: Socket) {
  let all = ''
  let closed = false
  child.once('close', () => (closed = true))
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => (all += text))
  const waitFor = (wanted: string | RegExp, from = 0): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const seen = all.slice(from)
        if (typeof wanted === 'string' ? seen.includes(wanted) : wanted.test(seen)) finish(() => resolve(all))
      }
      const ended = (): void =>
        finish(() =>
          reject(new Error(`ssh ended before it printed ${wanted}; it printed: ${all.slice(-2000)}`)),
        )
      const finish = (settle: () => void): void => {
        stream.off('data', look)
        child.off('close', ended)
        settle()
      }
      stream.on('data', look)
      child.once('close', ended)
      look()
      if (closed) ended()
    })
  return { text: () => all, waitFor }
}
