import { type Act, type History, isHurt, type Moment, type Visit } from '../history.ts'
import { LEASE_MS } from '../run.ts'
import { at, type Check, described, faultsNear } from './finding.ts'

/** Until all servers that reach the database know of a ban, in milliseconds; a slow machine has its share in it. */
const KNOWN_MS = 5_000

/** A server that was hurt knows it once it has come back. */
export const bans: Check = {
  name: 'whoever is banned is on no server, and comes in on none, until they may again',
  judge: ({ history }) =>
    history.acts
      .filter(({ kind, outcome }) => kind === 'ban' && outcome === 'done')
      .flatMap((ban) => {
        const until = endOf(history, ban)
        return history.visits
          .filter(
            (visit) => visit.client === ban.mark && isThere(history, visit, ban.endedAt + KNOWN_MS, until),
          )
          .map((visit) => ({
            what: `${ban.mark} was banned, and was on ${visit.machine} from ${at(visit.openedAt)} to ${at(visit.endedAt)}`,
            shown: [
              described(ban),
              `the ban lasted until ${at(until)}`,
              ...faultsNear(history, ban.begunAt, until),
            ],
          }))
      }),
}

const endOf = ({ acts }: History, ban: Act): Moment =>
  acts.find(({ kind, mark, begunAt }) => kind === 'unban' && mark === ban.mark && begunAt >= ban.endedAt)
    ?.begunAt ?? Infinity

/** Nobody is blamed for the time in which the server could not know, or for a ban that was lifted by then. */
const isThere = (
  history: History,
  { machine, openedAt, endedAt = Infinity }: Visit,
  from: Moment,
  until: Moment,
): boolean =>
  from < until &&
  openedAt < until &&
  endedAt > from &&
  !isHurt(history, machine, from - LEASE_MS, Math.min(until, endedAt))
