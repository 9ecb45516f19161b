import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import ssh2 from 'ssh2'
import type { ClientChannel } from 'ssh2'
import { makeKey } from './load/keys.ts'

/** A client that can do what OpenSSH would never do. */
export type HostileClient = Awaited<ReturnType<typeof connectHostile>>

interface Protocol {
  readonly _cipher: { encrypt(packet: Buffer): void }
  readonly _packetRW: {
    readonly write: {
      readonly allocStart: number
      alloc(bytes: number): Buffer
      finalize(packet: Buffer): Buffer
    }
  }
  session(id: number, window: number, packetSize: number): void
  channelData(id: number, data: Buffer): void
  channelWindowAdjust(id: number, bytes: number): void
  rekey(): void
}

interface Internals {
  readonly _sock: Socket | undefined
  readonly _protocol: Protocol
}

/** Sends a message as it is, encrypted but unchecked. Nothing happens once the connection is gone. */
export function sendMessage(client: ssh2.Client, payload: Buffer): void {
  const { _protocol: protocol, _sock: socket } = client as unknown as Internals
  if (!socket?.writable) return
  const { write } = protocol._packetRW
  const packet = write.alloc(payload.length)
  packet.set(payload, write.allocStart)
  protocol._cipher.encrypt(write.finalize(packet))
}

/** Lets somebody in with a key in a file, or with the key itself. `from` is one of the loopback's addresses. */
export async function connectHostile(
  user: string,
  port: number,
  key: string | { readonly pem: string },
  from = '127.0.0.1',
) {
  const client = new ssh2.Client()
  const closed = new Promise<void>((resolve) => client.once('close', resolve))
  client.on('error', () => undefined)
  const privateKey = typeof key === 'string' ? await readFile(key) : key.pem
  // A name that has an owner is a guest's once the client says that it has no other key.
  client.on('keyboard-interactive', (_name, _instructions, _language, _prompts, finish) => finish([]))
  const login = { username: user, privateKey, tryKeyboard: true }
  client.connect({ host: '127.0.0.1', port, localAddress: from, ...login })
  client.setNoDelay(true)
  await new Promise<void>((resolve, reject) =>
    client.once('ready', resolve).once('close', () => reject(new Error('not let in'))),
  )
  const { _protocol: protocol, _sock: socket } = client as unknown as Internals
  const idOf = (channel: ClientChannel): number =>
    (channel as unknown as { outgoing: { id: number } }).outgoing.id
  return {
    closed,
    send: (payload: Buffer) => sendMessage(client, payload),
    /** Runs a command on a channel of its own; rejects if the channel is refused. */
    exec: (line: string): Promise<ClientChannel> => opened((done) => client.exec(line, done)),
    /** Starts a session on a terminal of this size. */
    shell: (columns = 80): Promise<ClientChannel> =>
      opened((done) => client.shell({ term: 'xterm', cols: columns, rows: 24 }, done)),
    /** From now on channels are opened with these in place of what ssh2 would say. */
    claim(window: number, packetSize: number) {
      const open = Object.getPrototypeOf(protocol).session as Protocol['session']
      protocol.session = (id) => open.call(protocol, id, window, packetSize)
    },
    /** Sends bytes without regard to the channel's window. */
    overrun(channel: ClientChannel, bytes: number) {
      const piece = Buffer.alloc(32 * 1024)
      for (let sent = 0; sent < bytes; sent += piece.length) protocol.channelData(idOf(channel), piece)
    },
    /** Lets the server send so many bytes more on a channel. */
    adjust: (channel: ClientChannel, bytes: number) => protocol.channelWindowAdjust(idOf(channel), bytes),
    rekey: () => protocol.rekey(),
    /** Runs a command, and resolves when its channel is closed; rejects if the channel is refused. */
    run: (line: string) =>
      new Promise<void>((resolve, reject) =>
        client.exec(line, (error, channel) => {
          if (error) return reject(error)
          channel
            .on('close', () => resolve())
            .on('error', () => undefined)
            .resume()
        }),
      ),
    /** Does not read from the server any more, not even that the connection is gone, until it reads again. */
    stopReading: () => void socket?.pause(),
    readAgain: () => void socket?.resume(),
    [Symbol.dispose]: () => void client.destroy(),
  }
}

type Callback = (error: Error | undefined, channel: ClientChannel) => void

const opened = (open: (done: Callback) => void): Promise<ClientChannel> =>
  new Promise((resolve, reject) =>
    open((error, channel) => {
      if (error) return reject(error)
      channel.on('error', () => undefined).resume()
      resolve(channel)
    }),
  )

export const newKey = (): { readonly pem: string } => ({ pem: makeKey() })
