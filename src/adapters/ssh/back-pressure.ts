import type { Socket } from 'node:net'

/** With more bytes than this unsent, we stop reading. */
const MAX_UNSENT_BYTES = 1024 * 1024

/**
 * Reads from a peer only while the peer reads from us: the answers to a peer that asks without reading would fill the
 * memory. To be called after whoever reads the socket is in place.
 */
export function applyBackPressure(socket: Socket): void {
  socket.on('data', () => {
    if (socket.writableLength <= MAX_UNSENT_BYTES) return
    socket.pause()
    socket.once('drain', () => socket.resume())
  })
}
