import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { makeKey } from '../../support/load/keys.ts'
import { createProbe, probeEnvironment, type Probe } from '../../support/load/probe.ts'
import { raisedLimits } from '../../support/load/raised-limits.ts'
import { startChild } from '../../support/load/typescript-child.ts'
import { startServer } from '../../support/server.ts'

/** A chat server in a process of its own. */
export interface Contender extends AsyncDisposable {
  readonly name: string
  readonly pid: number
  readonly port: number
  /** What its screen shows when one may type. */
  readonly prompt: RegExp
  /** Asks what only the process itself knows; of sshawl. */
  readonly probe?: Probe
}

/** The names of those that can run here; `bare` and `sshawl` always. */
export const contenderNames = (env: NodeJS.ProcessEnv): readonly string[] =>
  env['SSH_CHAT_BIN'] ? ['bare', 'ssh-chat', 'sshawl'] : ['bare', 'sshawl']

export async function startContender(name: string, asStarted: boolean): Promise<Contender> {
  if (name === 'bare') return startBareRoom()
  if (name === 'sshawl' && asStarted) return startAsUsersDo()
  return name === 'sshawl' ? startSshawl() : startSshChat(process.env['SSH_CHAT_BIN'] ?? '')
}

async function startBareRoom(): Promise<Contender> {
  const { pid, first, ...room } = await startChild(new URL('bare-room.ts', import.meta.url))
  return { name: 'bare', pid, port: Number(first), prompt: /> /, ...room }
}

/** As `npm start` and the executable have it. */
export const DEPLOYED = ['--max-semi-space-size=4', '--heap-growing-percent=50']

const newDir = (): Promise<string> => mkdtemp(join(tmpdir(), 'sshawl-load-'))

/** The built server as it is deployed, with a data directory of its own, which goes with it; limits are out of the way. */
export async function startSshawl(config: string = raisedLimits()) {
  const dir = await newDir()
  const socket = join(dir, 'probe')
  const env = probeEnvironment(socket)
  const server = await startServer({ dataDir: join(dir, 'data'), config, env, nodeFlags: DEPLOYED })
  return {
    name: 'sshawl',
    pid: server.process.pid!,
    port: server.port,
    prompt: /> /,
    probe: createProbe(socket),
    log: server.stderr,
    claimCode: server.claimCode,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** `npm start` in a new data directory; limits are out of the way. It is not asked for anything while it runs. */
async function startAsUsersDo(): Promise<Contender> {
  const dir = await newDir()
  const config = join(dir, 'sshawl.toml')
  await writeFile(config, raisedLimits())
  const words = ['start', '--', '--listen', '127.0.0.1:0', '--data', join(dir, 'data'), '--config', config]
  const { PATH, HOME } = process.env
  const child = spawn('npm', words, { env: { PATH, HOME }, stdio: ['ignore', 'pipe', 'ignore'] })
  const port = await portOf(child, /^sshawl listening on ssh:.*:(\d+)$/)
  // The shell of npm has become the server.
  const pid = Number(await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'))
  const end = endOf(child, pid, 'SIGTERM', dir)
  return { name: 'sshawl', pid, port, prompt: /> /, [Symbol.asyncDispose]: end }
}

/** https://github.com/shazow/ssh-chat: says which port it took, and shows `[name] ` as its prompt. */
async function startSshChat(binary: string): Promise<Contender> {
  const dir = await newDir()
  const identity = join(dir, 'host-key')
  await writeFile(identity, makeKey(), { mode: 0o600 })
  const words = ['--bind', '127.0.0.1:0', '--identity', identity]
  const child = spawn(binary, words, { stdio: ['ignore', 'pipe', 'ignore'] })
  const pid = child.pid ?? 0
  return {
    name: 'ssh-chat',
    pid,
    port: await portOf(child, /^Listening for connections on .*:(\d+)$/),
    // Names are coloured where the terminal has colours.
    // oxlint-disable-next-line no-control-regex
    prompt: /\[(?:\x1b\[[\d;]*m)*u\d+(?:\x1b\[[\d;]*m)*\] /,
    [Symbol.asyncDispose]: endOf(child, pid, 'SIGKILL', dir),
  }
}

type Child = ChildProcessByStdio<null, Readable, null>

/** The port that a server names in a line of its output. */
async function portOf({ stdout, spawnfile }: Child, said: RegExp): Promise<number> {
  for await (const line of createInterface({ input: stdout })) {
    const port = Number(said.exec(line)?.[1])
    if (port) return port
  }
  throw new Error(`${spawnfile} did not say on which port it listens`)
}

function endOf(child: Child, pid: number, signal: NodeJS.Signals, dir: string): () => Promise<void> {
  const ended = once(child, 'exit')
  return async () => {
    process.kill(pid, signal)
    await ended
    await rm(dir, { recursive: true, force: true })
  }
}
