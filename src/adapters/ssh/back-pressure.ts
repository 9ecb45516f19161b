import type { Socket } from 'node:net'

/** With more bytes than this unsent, we stop reading. */
const MAX_UNSENT_BYTES = 256 * 1024

/** Stops and starts reading from a peer. */
export interface Brake {
  pause(): void
  resume(): void
}

/**
 * Reads from a peer only while the peer reads from us: the answers to a peer that asks without reading would
 * fill the memory. To be called after whoever reads the socket is in place. Who has a reason of their own to
 * pause uses the brake that is returned: the socket is read only when neither has one.
 */
export function applyBackPressure(socket: Socket): Brake {
  let isFull = false
  let isHeld = false
  const apply = (): void => void (isFull || isHeld ? socket.pause() : socket.resume())
  socket.on('data', () => {
    if (isFull || socket.writableLength <= MAX_UNSENT_BYTES) return
    isFull = true
    apply()
    socket.once('drain', () => {
      isFull = false
      apply()
    })
  })
  return {
    pause() {
      isHeld = true
      apply()
    },
    resume() {
      isHeld = false
      apply()
    },
  }
}
