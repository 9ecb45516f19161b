/** Messages of the SSH connection protocol (RFC 4254), built from the data types of RFC 4251, section 5. */

/** A uint32; larger numbers lose what is beyond 32 bits. */
export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

/** A string: its length, then its bytes. */
export function str(value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([u32(bytes.length), bytes])
}

export const bool = (value: boolean): Buffer => Buffer.of(value ? 1 : 0)

export const message = (number: number, ...parts: readonly Uint8Array[]): Buffer =>
  Buffer.concat([Buffer.of(number), ...parts])

/** Asks for a channel; `sender` is the client's number of it. */
export const openMessage = (type: string, sender: number, window: number, packet: number): Buffer =>
  message(90, str(type), u32(sender), u32(window), u32(packet))

/** A request on the channel that the server gave the number `to`. */
export const requestMessage = (
  to: number,
  type: string,
  wantsReply: boolean,
  ...more: readonly Uint8Array[]
): Buffer => message(98, u32(to), str(type), bool(wantsReply), ...more)

export const ptyMessage = (
  to: number,
  columns: number,
  rows: number,
  modes: Uint8Array = Buffer.alloc(0),
): Buffer =>
  requestMessage(to, 'pty-req', true, str('xterm'), u32(columns), u32(rows), u32(0), u32(0), str(modes))
