import { once } from 'node:events'
import { connect } from 'node:net'
import ssh2 from 'ssh2'
import type { ClientChannel } from 'ssh2'
import { createDeferred } from '../../../src/base/jobs/waiting.ts'

/** What a client's screen is. No size: a pipe, without a pty. */
export interface ScreenShape {
  readonly columns: number
  readonly rows: number
  readonly term: string
}

export interface ClientTarget {
  readonly port: number
  readonly name: string
  /** PEM text of the private key. */
  readonly key: string
}

/** A client on a connection of its own, in this process. */
export interface LoadClient extends AsyncDisposable {
  readonly ssh: ssh2.Client
  /** Resolves when the connection is gone, for whatever reason. */
  readonly closed: Promise<void>
}

export interface LoadSession extends LoadClient {
  readonly name: string
  readonly channel: ClientChannel
  /** Resolves when the shell has ended, with its exit status; undefined when the connection went without one. */
  readonly ended: Promise<number | undefined>
}

export const TERMINAL: ScreenShape = { columns: 80, rows: 24, term: 'xterm-256color' }

/** Logs in, with TCP_NODELAY as OpenSSH sets it. Rejects when it is not let in. */
export async function login({ port, name, key }: ClientTarget): Promise<LoadClient> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const client = new ssh2.Client()
  const closed = createDeferred<void>()
  const ready = createDeferred<void>()
  let why = new Error('closed before the login')
  client.on('error', (error) => (why = error))
  client.once('ready', ready.resolve)
  client.once('close', () => {
    ready.reject(new Error(`${name} was not let in: ${why.message}`))
    closed.resolve()
  })
  client.connect({ sock: socket, username: name, privateKey: key, readyTimeout: 120_000 })
  await ready.promise
  return {
    ssh: client,
    closed: closed.promise,
    async [Symbol.asyncDispose]() {
      client.destroy()
      await closed.promise
    },
  }
}

/** Logs in and opens a shell: with a pty of that shape, or without one. `onData` is given all bytes of its screen. */
export async function openSession(
  target: ClientTarget,
  shape: ScreenShape | undefined,
  onData: (bytes: Buffer) => void,
): Promise<LoadSession> {
  const client = await login(target)
  const channel = await openShell(client.ssh, shape)
  channel.on('data', onData)
  const ended = createDeferred<number | undefined>()
  let status: number | undefined
  channel.on('exit', (code: number | null) => (status = code ?? undefined))
  channel.on('close', () => ended.resolve(status))
  void client.closed.then(() => ended.resolve(status))
  return { ...client, name: target.name, channel, ended: ended.promise }
}

/** Opens a shell on a connection; rejects when the server refuses it or the connection ends. */
async function openShell(client: ssh2.Client, shape: ScreenShape | undefined): Promise<ClientChannel> {
  const opened = createDeferred<ClientChannel>()
  const pty = shape && { cols: shape.columns, rows: shape.rows, term: shape.term }
  client.shell(pty ?? false, (error, channel) => (error ? opened.reject(error) : opened.resolve(channel)))
  const gone = once(client, 'close').then(() => {
    throw new Error('the connection ended before the shell began')
  })
  const channel = await Promise.race([opened.promise, gone])
  channel.on('error', () => undefined)
  channel.stderr.on('data', () => undefined)
  return channel
}

/** Runs one command to its end. Rejects if it is refused or the connection ends. */
export async function runCommand({ ssh, closed }: LoadClient, line: string) {
  const done = createDeferred<{ readonly status: number | undefined; readonly text: string }>()
  done.promise.catch(() => undefined)
  void closed.then(() => done.reject(new Error(`the connection ended during ${line}`)))
  ssh.exec(line, (error, channel) => {
    if (error) return done.reject(error)
    let text = ''
    let status: number | undefined
    const keep = (bytes: Buffer): void => void (text += bytes.toString('utf8'))
    channel.on('data', keep).on('exit', (code: number | null) => (status = code ?? undefined))
    channel.on('error', () => undefined).on('close', () => done.resolve({ status, text }))
    channel.stderr.on('data', keep)
    channel.end()
  })
  return await done.promise
}
