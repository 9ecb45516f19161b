import type { Socket } from 'node:net'

/** More than this unsent, and we stop reading. */
const unsentBytes = 1024 * 1024

/**
 * Reads from a peer only while it reads from us: who makes the server answer must also take the answers,
 * or they would pile up here. To be called after whoever reads the socket is in place.
 */
export function keepPace(socket: Socket): void {
  socket.on('data', () => {
    if (socket.writableLength <= unsentBytes) return
    socket.pause()
    socket.once('drain', () => socket.resume())
  })
}
