import type { Socket } from 'node:net'
import { HeaderError, parseHeader, type ProxyHeader } from './header.ts'

/**
 * Takes the header off the beginning of a connection; what came after it stays in the socket. Rejects with `HeaderError` where
 * there is none, or none in time, and when the connection is closed before.
 */
export function readHeader(socket: Socket, timeoutMs: number): Promise<ProxyHeader> {
  let bytes = Buffer.alloc(0)
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail(new HeaderError('no whole PROXY header in time')), timeoutMs)
    const end = (): void => {
      clearTimeout(timer)
      socket.off('readable', look).off('close', gone)
    }
    const fail = (error: unknown): void => {
      end()
      reject(error)
    }
    const gone = (): void => fail(new HeaderError('closed before its PROXY header was whole'))
    const look = (): void => {
      const chunk: unknown = socket.read()
      if (!Buffer.isBuffer(chunk)) return
      bytes = Buffer.concat([bytes, chunk])
      try {
        const header = parseHeader(bytes)
        if (!header) return
        end()
        const rest = bytes.subarray(header.bytes)
        if (rest.length > 0) socket.unshift(rest)
        resolve(header)
      } catch (error) {
        fail(error)
      }
    }
    socket.on('readable', look).once('close', gone)
  })
}
