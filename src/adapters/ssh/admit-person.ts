import type { Slot } from './admission.ts'
import type { ConnectionContext } from './connection-context.ts'
import { tooManyConnections, type Visitor } from './person-connection.ts'
import { takeAll } from '../../lib/quota.ts'

/**
 * Takes the place of one connection for a visitor, on this server and of their address, until `uncount` is
 * called. Where there is none, or where they are refused already, the visitor comes back refused, and nothing
 * is counted any more.
 */
export function admitPerson(
  visitor: Visitor,
  { limits, quotas, handler }: AdmitContext,
  slot: Pick<Slot, 'loggedIn' | 'refused'>,
): Visitor {
  const { person, offered, uncount } = visitor
  const share = (kind: 'person' | 'key', id: string): number =>
    Math.max(1, Math.floor(limits.connections_per_person / (handler.servers?.(kind, id) ?? 1)))
  const refused = (refusal: string): Visitor => {
    uncount?.()
    return { person, offered, address: visitor.address, refusal }
  }
  const release =
    visitor.refusal === undefined
      ? takeAll(
          [quotas.connections, person.id, share('person', person.id)],
          [quotas.connections, offered.fingerprint, share('key', offered.fingerprint)],
        )
      : undefined
  if (!release) {
    slot.refused()
    return refused(visitor.refusal ?? tooManyConnections(limits.connections_per_person))
  }
  if (!slot.loggedIn()) {
    release()
    return refused(TOO_MANY_HERE)
  }
  return {
    ...visitor,
    uncount() {
      release()
      uncount?.()
    },
  }
}

interface AdmitContext extends Pick<ConnectionContext, 'limits' | 'quotas'> {
  readonly handler: Pick<ConnectionContext['handler'], 'servers'>
}

/** They came while there was room, and others from there logged in first. */
const TOO_MANY_HERE = 'Too many connections come from your address; try again in a while.'
