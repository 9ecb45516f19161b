import type { Admitted } from './admission/admission.ts'
import type { ConnectionContext } from './connection-context.ts'
import { tooManyConnections, type Visitor } from './person-connection.ts'
import { takeAll } from './quota.ts'

/**
 * Takes the place of one connection for a visitor, on this server and of their address, until `uncount` is
 * called. Where there is none, or where they are refused already, the visitor comes back refused, and nothing
 * is counted any more.
 */
export function admitPerson(
  visitor: Visitor,
  { limits, quotas }: Pick<ConnectionContext, 'limits' | 'quotas'>,
  admitted: Pick<Admitted, 'loggedIn' | 'refused'>,
): Visitor {
  const { person, offered, uncount } = visitor
  const refused = (refusal: string): Visitor => {
    uncount?.()
    return { person, offered, address: visitor.address, refusal }
  }
  const release =
    visitor.refusal === undefined
      ? takeAll([quotas.connections, person.id], [quotas.connections, offered.fingerprint])
      : undefined
  if (!release) {
    admitted.refused()
    return refused(visitor.refusal ?? tooManyConnections(limits.connections_per_person))
  }
  if (!admitted.loggedIn()) {
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

/** They came while there was room, and others from there logged in first. */
const TOO_MANY_HERE = 'Too many connections come from your address; try again in a while.'
