import type { Session } from 'ssh2'
import type { ChannelHouse } from './channel-house.ts'
import { serveExec } from './exec.ts'
import { collectRequests } from './session-request.ts'
import { serveShell } from './shell.ts'

/** Serves one session channel: one shell or one command, nothing else. */
export function serveSession(session: Session, house: ChannelHouse): void {
  const gone = endOf(session, house.gone)
  const request = collectRequests(session)
  let isTaken = false
  const take = (): boolean => !isTaken && (isTaken = true)
  session.on('shell', (accept, reject) => {
    if (take()) house.track(serveShell({ channel: accept(), request, gone, house }))
    else reject?.()
  })
  session.on('exec', (accept, reject, { command }) => {
    if (take()) house.track(serveExec(command, { channel: accept(), request, gone, house }))
    else reject?.()
  })
}

function endOf(session: Session, connectionGone: AbortSignal): AbortSignal {
  const closed = new AbortController()
  session.on('close', () => closed.abort())
  return AbortSignal.any([closed.signal, connectionGone])
}
