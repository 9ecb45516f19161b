import { fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const socket = join(await mkdtemp(join(tmpdir(), 'sshawl-spawner-')), 'socket')
const spawner = fork(fileURLToPath(new URL('spawner.mjs', import.meta.url)), [socket], { execArgv: [] })
await once(spawner, 'message')
// What waits for a program keeps this process alive by the program's connections.
spawner.unref()
spawner.channel?.unref()

const running = new Map<number, Spawned>()
let last = 0

spawner.on('message', ({ id, ...told }: Told & { readonly id: number }) => {
  running.get(id)?.ended(told)
  running.delete(id)
})

interface Told {
  readonly error?: string
  /** Null when a signal ended it. */
  readonly exitCode?: number | null
}

/** A program that a small process started (spawner.mjs). Its events are those of a `ChildProcess`: `error`, and `close` at its end. */
export class Spawned extends EventEmitter {
  readonly stdin = connect(socket)
  readonly stdout = connect(socket)
  readonly stderr = connect(socket)
  /** Null while it runs, and when a signal ended it. */
  exitCode: number | null = null
  readonly #id = ++last

  constructor(command: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    super()
    running.set(this.#id, this)
    spawner.send({ id: this.#id, command, args, env })
  }

  kill(signal: NodeJS.Signals): void {
    spawner.send({ id: this.#id, signal })
  }

  /** For the spawner's word alone. */
  ended({ error, exitCode = null }: Told): void {
    this.exitCode = exitCode
    this.stdin.destroy()
    // As a ChildProcess does, whose reader may have paused it.
    for (const stream of [this.stdout, this.stderr]) stream.resume()
    if (error !== undefined) this.emit('error', new Error(error))
    void Promise.all([closed(this.stdout), closed(this.stderr)]).then(() => this.emit('close', exitCode))
  }
}

const closed = async (stream: Socket): Promise<void> => {
  if (!stream.closed) await once(stream, 'close')
}
