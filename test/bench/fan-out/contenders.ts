import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
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

/** Starts one by its name. */
export async function startContender(name: string, asStarted: boolean): Promise<Contender> {
  if (name === 'bare') return startBareRoom()
  if (name === 'sshawl' && asStarted) return startAsUsersDo()
  return name === 'sshawl' ? startSshawl() : startSshChat(process.env['SSH_CHAT_BIN'] ?? '')
}

async function startBareRoom(): Promise<Contender> {
  const room = await startChild(new URL('bare-room.ts', import.meta.url))
  return {
    name: 'bare',
    pid: room.child.pid!,
    port: Number(room.first),
    prompt: /> /,
    [Symbol.asyncDispose]: () => room[Symbol.asyncDispose](),
  }
}

/** As `npm start` and the executable have it. */
const DEPLOYED = '--max-semi-space-size=4'

/** The built server as it is deployed, with a data directory of its own, which goes with it; limits are out of the way. */
export async function startSshawl(
  config: string = raisedLimits(),
): Promise<
  Contender & { readonly probe: Probe; readonly log: () => string; readonly claimCode: string | undefined }
> {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-load-'))
  const socket = join(dir, 'probe')
  const environment = probeEnvironment(socket, DEPLOYED)
  const server = await startServer({ dataDir: join(dir, 'data'), config, env: environment, nodeFlags: [] })
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
export async function startAsUsersDo(): Promise<Contender> {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-load-'))
  const config = join(dir, 'sshawl.toml')
  await writeFile(config, raisedLimits())
  const words = ['start', '--', '--listen', '127.0.0.1:0', '--data', join(dir, 'data'), '--config', config]
  const { PATH, HOME } = process.env
  const child = spawn('npm', words, { env: { PATH, HOME }, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  let port = NaN
  for await (const line of createInterface({ input: child.stdout })) {
    port = Number(/^sshawl listening on ssh:.*:(\d+)$/.exec(line)?.[1])
    if (port) break
  }
  // The shell of npm has become the server.
  const pid = Number(await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'))
  return {
    name: 'sshawl',
    pid,
    port,
    prompt: /> /,
    async [Symbol.asyncDispose]() {
      process.kill(pid)
      await ended
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** https://github.com/shazow/ssh-chat: says which port it took, and shows `[name] ` as its prompt. */
async function startSshChat(binary: string): Promise<Contender> {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-load-'))
  const identity = join(dir, 'host-key')
  await writeFile(identity, makeKey(), { mode: 0o600 })
  const child = spawn(binary, ['--bind', '127.0.0.1:0', '--identity', identity], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  let port = NaN
  for await (const line of createInterface({ input: child.stdout })) {
    port = Number(/^Listening for connections on .*:(\d+)$/.exec(line)?.[1])
    if (port) break
  }
  if (!port) throw new Error(`${binary} (SSH_CHAT_BIN) did not say on which port it listens`)
  return {
    name: 'ssh-chat',
    pid: child.pid!,
    port,
    // Names are coloured where the terminal has colours.
    // oxlint-disable-next-line no-control-regex
    prompt: /\[(?:\x1b\[[\d;]*m)*u\d+(?:\x1b\[[\d;]*m)*\] /,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      await rm(dir, { recursive: true, force: true })
    },
  }
}
