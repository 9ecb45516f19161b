import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import ssh2 from 'ssh2'
import type { ClientChannel } from 'ssh2'

/** A client that can do what OpenSSH would never do. */
export interface HostileClient extends Disposable {
  /** Runs a command on a channel of its own; rejects if the channel is refused. */
  exec(line: string): Promise<ClientChannel>
  /** Sends bytes without regard to the channel's window. */
  overrun(channel: ClientChannel, bytes: number): void
  /** `sendMessage` on this connection. */
  send(payload: Buffer): void
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>
}

interface Internals {
  readonly _sock: Socket | undefined
  readonly _protocol: {
    readonly _cipher: { encrypt(packet: Buffer): void }
    readonly _packetRW: {
      readonly write: {
        readonly allocStart: number
        alloc(bytes: number): Buffer
        finalize(packet: Buffer): Buffer
      }
    }
  }
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

export async function connectHostile(user: string, port: number, keyFile: string): Promise<HostileClient> {
  const client = new ssh2.Client()
  const closed = new Promise<void>((resolve) => client.once('close', resolve))
  client.on('error', () => undefined)
  client.connect({ host: '127.0.0.1', port, username: user, privateKey: await readFile(keyFile) })
  await new Promise<void>((resolve, reject) =>
    client.once('ready', resolve).once('close', () => reject(new Error('not let in'))),
  )
  return {
    closed,
    send: (payload) => sendMessage(client, payload),
    exec: (line) =>
      new Promise((resolve, reject) =>
        client.exec(line, (error, channel) => {
          if (error) return reject(error)
          channel.on('error', () => undefined).resume()
          resolve(channel)
        }),
      ),
    overrun(channel, bytes) {
      const internals = channel as unknown as {
        _client: { _protocol: { channelData(id: number, data: Buffer): void } }
        outgoing: { id: number }
      }
      const piece = Buffer.alloc(32 * 1024)
      for (let sent = 0; sent < bytes; sent += piece.length)
        internals._client._protocol.channelData(internals.outgoing.id, piece)
    },
    [Symbol.dispose]: () => void client.destroy(),
  }
}
