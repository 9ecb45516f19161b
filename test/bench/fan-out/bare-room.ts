/**
 * The least that a chat over ssh2 can be, in a process of its own: every line goes to every client, at once and once
 * each, with nothing checked, stored, drawn or remembered. What it needs is what the library and the wire need.
 */
import { createServer, type AddressInfo } from 'node:net'
import ssh2 from 'ssh2'
import type { PublicKeyAuthContext, ServerChannel } from 'ssh2'
import { makeKey } from '../../support/load/keys.ts'

const members = new Set<ServerChannel>()

/** Delivers what a client types, line by line. */
function serve(name: string, channel: ServerChannel): void {
  members.add(channel)
  channel.on('close', () => members.delete(channel))
  channel.on('error', () => undefined)
  channel.write('> ')
  let typed = ''
  channel.on('data', (bytes: Buffer) => {
    const lines = (typed + bytes.toString('utf8')).split('\r')
    typed = lines.pop() ?? ''
    for (const line of lines) {
      const delivery = Buffer.from(`${name}: ${line}\r\n`)
      for (const member of members) member.write(delivery)
    }
  })
}

/** A client first asks whether a key would do, without a signature; any key would. */
function isProven({ key, blob, signature, hashAlgo }: PublicKeyAuthContext): boolean {
  if (!blob || !signature) return true
  const parsed = ssh2.utils.parseKey(key.data)
  return !(parsed instanceof Error) && parsed.verify(blob, signature, hashAlgo)
}

const server = new ssh2.Server({ hostKeys: [makeKey()] }, (client) => {
  let name = ''
  client.on('error', () => undefined)
  client.on('authentication', (login) => {
    name = login.username
    if (login.method === 'publickey' && isProven(login)) login.accept()
    else login.reject(['publickey'])
  })
  client.on('session', (accept) => {
    const session = accept()
    session.on('pty', (acceptPty) => acceptPty?.())
    session.on('shell', (acceptShell) => serve(name, acceptShell()))
  })
})
const listener = createServer({ noDelay: true }, (socket) => server.injectSocket(socket))
listener.listen(0, '127.0.0.1', () => process.send?.((listener.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
