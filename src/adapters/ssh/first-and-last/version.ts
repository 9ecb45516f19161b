import type { Socket } from 'node:net'

/** RFC 4253, section 4.2. OpenSSH takes a longer line than the 255 bytes that it allows; so do we. */
const MAX_LINE_BYTES = 1_024
const VERSION = /^SSH-(2\.0|1\.99)-[^ ]+( .*)?\r?\n$/
const BEGINNING = 'SSH-'
const NEWLINE = 0x0a

/**
 * Calls `speaks` once a peer has said that it speaks SSH 2, in however many pieces; what it said stays in the socket. Calls `isOther`
 * as soon as what it sends cannot become that. Calls neither where it goes away first.
 */
export function readVersion(socket: Socket, speaks: () => void, isOther: () => void): void {
  let bytes = Buffer.alloc(0)
  const end = (then: () => void): void => {
    socket.off('readable', look).off('close', stop)
    then()
  }
  const stop = (): void => end(() => undefined)
  const look = (): void => {
    const chunk: unknown = socket.read()
    if (!Buffer.isBuffer(chunk)) return
    bytes = Buffer.concat([bytes, chunk])
    const kind = kindOf(bytes)
    if (kind === 'part') return
    end(() => {
      if (kind === 'other') return isOther()
      socket.unshift(bytes)
      speaks()
    })
  }
  socket.on('readable', look).once('close', stop)
}

/** Whether it begins with a version that we speak, with a part of one, or with anything else. */
function kindOf(bytes: Buffer): 'version' | 'part' | 'other' {
  const length = bytes.subarray(0, MAX_LINE_BYTES).indexOf(NEWLINE) + 1
  const line = bytes.toString('latin1', 0, length || MAX_LINE_BYTES)
  if (length > 0) return VERSION.test(line) ? 'version' : 'other'
  const mayBecome = line.startsWith(BEGINNING) || BEGINNING.startsWith(line)
  return mayBecome && bytes.length < MAX_LINE_BYTES ? 'part' : 'other'
}
