import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

export type TestNats = Awaited<ReturnType<typeof startNats>>

/** Starts one on a free port; `options` are those of its command line. */
export async function startNats(options: readonly string[] = []) {
  let running = await launch(-1, options)
  const { port } = running

  async function kill(): Promise<void> {
    const { child } = running
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  return {
    port,
    /** Of the process that runs now, or ran last. */
    get pid() {
      return running.child.pid ?? 0
    },
    /** `nats://127.0.0.1:PORT`. */
    url: `nats://127.0.0.1:${port}`,
    kill,
    async startAgain() {
      running = await launch(port, options)
    },
    /** Publishes any bytes as another program does. Resolves when the server has them. */
    publish: (subject: string, data: Uint8Array) => publish(port, subject, data),
    [Symbol.asyncDispose]: kill,
  }
}

interface Running {
  readonly child: ChildProcess
  readonly port: number
}

/** Resolves when clients can connect. */
async function launch(port: number, options: readonly string[]): Promise<Running> {
  const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const told: string[] = []
  let listensAt = port
  for await (const line of createInterface(child.stderr)) {
    told.push(line)
    listensAt = Number(/client connections on 127\.0\.0\.1:(\d+)/.exec(line)?.[1] ?? listensAt)
    if (line.includes('Server is ready')) {
      child.stderr.resume()
      return { child, port: listensAt }
    }
  }
  throw new Error(`nats-server did not start: ${told.join('\n')}`)
}

/** By the protocol itself (https://docs.nats.io/reference/reference-protocols/nats-protocol). */
async function publish(port: number, subject: string, data: Uint8Array): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.write('CONNECT {"verbose":false}\r\n')
  socket.write(`PUB ${subject} ${data.length}\r\n`)
  socket.write(data)
  socket.write('\r\nPING\r\n')
  for await (const line of createInterface(socket)) {
    if (line.startsWith('-ERR')) throw new Error(line)
    if (line === 'PONG') break
  }
  socket.destroy()
}
