import type { Socket } from 'node:net'
import { errorMessage } from '../base/errors.ts'
import { addressOf } from '../base/network.ts'
import { Quota } from '../base/quota.ts'
import { addressMatcher } from './address-matcher.ts'
import type { SshServerOptions } from './context.ts'

/**
 * PROXY protocol, version 2: the header that a proxy sends before each forwarded connection. Source:
 * https://www.haproxy.org/download/1.8/doc/proxy-protocol.txt, section 2.2.
 */

/** Handles the proxies of `server.proxies`, whose connections begin with a PROXY header. */
export class Proxies {
  readonly #options: Pick<SshServerOptions, 'proxies' | 'limits' | 'log'>
  /** As many as connections in total: after a proxy's restart all of its clients reconnect at once. */
  readonly #pending: Quota

  constructor(options: Pick<SshServerOptions, 'proxies' | 'limits' | 'log'>) {
    this.#options = options
    this.#pending = new Quota(() => options.limits.connections)
  }

  include(address: string): boolean {
    return addressMatcher(this.#options.proxies())?.(address) ?? false
  }

  /**
   * Reads the header and calls `serve` with the client's address, or the proxy's if the header has none.
   * Closes connections with a wrong or late header, and the proxy's health checks.
   */
  receive(socket: Socket, proxy: string, serve: (client: string) => void): void {
    const { limits, log } = this.#options
    const drop = (why: string): void => {
      log.info({ address: proxy, why }, 'connection dropped')
      socket.destroy()
    }
    const release = this.#pending.take('')
    if (!release) return drop('too many connections wait for their PROXY header')
    socket.once('close', release)
    readHeader(socket, limits.login_timeout_s * 1_000).then(
      ({ isCheck, client = proxy }) => {
        if (isCheck) return answerCheck(socket)
        release()
        serve(client)
      },
      (error: unknown) => socket.destroyed || drop(errorMessage(error)),
    )
  }
}

/** Answers a health check with a version line, which shows that the server speaks SSH (RFC 4253, 4.2). */
function answerCheck(socket: Socket): void {
  socket.write('SSH-2.0-sshawl\r\n')
  socket.destroySoon()
}

/** Reads the header of a connection and leaves the following bytes in the socket. */
function readHeader(socket: Socket, timeoutMs: number): Promise<ProxyHeader> {
  let bytes = Buffer.alloc(0)
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(new HeaderError('no whole PROXY header in time')), timeoutMs)
    const end = (error?: unknown): void => {
      clearTimeout(timer)
      socket.off('readable', read).off('close', closed)
      if (error !== undefined) reject(error)
    }
    const closed = (): void => end(new HeaderError('closed before its PROXY header was whole'))
    const read = (): void => {
      const chunk: unknown = socket.read()
      if (!Buffer.isBuffer(chunk)) return
      bytes = Buffer.concat([bytes, chunk])
      try {
        const header = parseHeader(bytes)
        if (!header) return
        end()
        if (bytes.length > header.bytes) socket.unshift(bytes.subarray(header.bytes))
        resolve(header)
      } catch (error) {
        end(error)
      }
    }
    socket.on('readable', read).once('close', closed)
  })
}

interface ProxyHeader {
  /** Length of the header, after which the client's bytes begin. */
  readonly bytes: number
  /** Absent if the proxy does not know the client, or the client has no internet address. */
  readonly client?: string
  /** True for a health check of the proxy (`LOCAL`). */
  readonly isCheck: boolean
}

export class HeaderError extends Error {
  override readonly name = 'HeaderError'
}

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n')

/** Signature, version and command, family and transport, and the length of the rest. */
const FIXED_BYTES = 16

/** Some proxies add a few hundred bytes of extra fields to the addresses. */
const MAX_BYTES = 4_096

const [LOCAL, PROXY] = [0x20, 0x21]
const STREAM = 1
const MAX_TRANSPORT = 2

/** Bytes of the client's address, and of all addresses and ports, for: unspecified, IPv4, IPv6, Unix. */
const FAMILIES = [
  { place: 0 },
  { client: 4, place: 12 },
  { client: 16, place: 36 },
  { place: 216 },
] as readonly { readonly client?: number; readonly place: number }[]

/** Parses the header at the start of `bytes`; undefined if it is incomplete. Throws `HeaderError`. */
export function parseHeader(bytes: Buffer): ProxyHeader | undefined {
  const begun = Math.min(bytes.length, SIGNATURE.length)
  if (!bytes.subarray(0, begun).equals(SIGNATURE.subarray(0, begun)))
    throw new HeaderError('no PROXY header of version 2, though the address is one of server.proxies')
  if (bytes.length < FIXED_BYTES) return undefined
  const [command, kind = 0] = bytes.subarray(SIGNATURE.length)
  const end = FIXED_BYTES + bytes.readUInt16BE(FIXED_BYTES - 2)
  if (command !== LOCAL && command !== PROXY)
    throw new HeaderError('a PROXY header of an unknown version or command')
  if (end > MAX_BYTES) throw new HeaderError(`a PROXY header of more than ${MAX_BYTES} bytes`)
  if (bytes.length < end) return undefined
  if (command === LOCAL) return { bytes: end, isCheck: true }
  const [family, transport] = [FAMILIES[kind >> 4], kind & 15]
  if (!family || transport > MAX_TRANSPORT)
    throw new HeaderError('a PROXY header of an unknown family or transport')
  if (end < FIXED_BYTES + family.place) throw new HeaderError('the addresses of a PROXY header are cut off')
  if (transport !== STREAM || family.client === undefined) return { bytes: end, isCheck: false }
  const client = addressOf(bytes.subarray(FIXED_BYTES, FIXED_BYTES + family.client))
  return { bytes: end, isCheck: false, client }
}
