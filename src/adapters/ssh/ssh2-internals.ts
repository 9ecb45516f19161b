import type { Connection, ServerChannel } from 'ssh2'

/**
 * The only file that reaches into ssh2 (1.17), for two faults that it has no public way around. If the
 * parts are not where they were, `guardWindow` throws, so that an upgrade cannot remove the guard unseen.
 */

type DataHandler = (protocol: unknown, recipient: number, data: Uint8Array) => void

interface Internals {
  readonly _protocol?: { readonly _handlers?: { CHANNEL_DATA?: DataHandler } }
  readonly _chanMgr?: { get(id: number): { readonly _channel?: ChannelInternals } | undefined }
}

interface ChannelInternals {
  readonly incoming?: { readonly window: number }
  _chunk?: unknown
  _chunkcb?: unknown
}

/** ssh2 takes data past the window that it granted (RFC 4254, section 5.2); this calls `onOverrun` instead. */
export function guardWindow(client: Connection, onOverrun: () => void): void {
  const { _protocol, _chanMgr } = client as unknown as Internals
  const handlers = _protocol?._handlers
  const accept = handlers?.CHANNEL_DATA
  if (!handlers || !accept || !_chanMgr)
    throw new Error('ssh2 has changed: its channel window cannot be guarded')
  handlers.CHANNEL_DATA = (protocol, recipient, data) => {
    const window = _chanMgr.get(recipient)?._channel?.incoming?.window
    if (window !== undefined && data.length > window) onOverrun()
    else accept(protocol, recipient, data)
  }
}

/**
 * After a write had to wait for the window, ssh2 keeps its bytes and would send them again when a write to
 * standard error waits. To be called when no write is under way.
 */
export function forgetSentBytes(channel: ServerChannel): void {
  const internals = channel as unknown as ChannelInternals
  internals._chunk = undefined
  internals._chunkcb = undefined
}
