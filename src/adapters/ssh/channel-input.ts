import type { ServerChannel } from 'ssh2'

/**
 * What the client sends, read at the reader's pace (the channel's window is the brake), until its end of
 * file or `gone`. Unlike a stream's own iterator it leaves the channel open when the reader stops early.
 */
export async function* readInput(
  channel: ServerChannel,
  gone: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  while (!gone.aborted) {
    const chunk: unknown = channel.read()
    if (chunk instanceof Uint8Array) yield chunk
    else if (channel.readableEnded || channel.destroyed) return
    else await moreInput(channel, gone)
  }
}

function moreInput(channel: ServerChannel, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      channel.off('readable', done).off('end', done)
      gone.removeEventListener('abort', done)
      resolve()
    }
    channel.once('readable', done).once('end', done)
    gone.addEventListener('abort', done, { once: true })
  })
}
