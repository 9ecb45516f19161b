import { createRequire } from 'node:module'
import type { SFTPWrapper } from 'ssh2'
import { ssh2 } from './library.ts'

/** `push` takes input in arbitrary chunks, and throws for some malformed input. */
export type Codec = SFTPWrapper & { push(bytes: Uint8Array): void }

interface SftpModule {
  readonly SFTP?: new (client: object, channel: object, options: { readonly server: true }) => Codec
}

/** Constants of SFTP version 3 (draft-ietf-secsh-filexfer-02). */
export const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp

/** Makes ssh2's SFTP server a codec: its own channel buffers unread output and input without a limit. */
export function createSftpCodec(send: (bytes: Buffer) => void, onFault: () => void): Codec {
  const { SFTP } = createRequire(import.meta.url)('ssh2/lib/protocol/SFTP.js') as SftpModule
  if (!SFTP) throw new Error('ssh2 has changed: it has no SFTP where it was')
  const protocol = { channelData: (_id: number, bytes: Buffer) => send(bytes), channelClose: onFault }
  const direction = { id: 0, window: Infinity, packetSize: Infinity, state: 'open' }
  const channel = { type: 'sftp', incoming: { ...direction }, outgoing: direction }
  const codec = new SFTP({ _protocol: protocol }, channel, { server: true })
  codec.on('error', onFault)
  return codec
}
