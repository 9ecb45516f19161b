import type { Played } from '../run.ts'
import { bans } from './bans.ts'
import { at, type Check, faultsNear } from './finding.ts'
import { kept } from './kept.ts'
import { order } from './order.ts'
import { rolls } from './presence.ts'
import { turns } from './turns.ts'

/** In the end everybody is there and sees what is said. */
const whole: Check = {
  name: 'once all is healed, everybody comes in, speaks, and is heard on every screen',
  judge: ({ history, deaths, shutOut, unseen }: Played) => [
    ...deaths.map((death) => ({ what: 'a server ended by itself', shown: [death] })),
    ...shutOut.map((name) => ({
      what: `${name} was let in nowhere`,
      shown: faultsNear(history, history.now()),
    })),
    ...unseen.map((line) => ({ what: `not seen: ${line}`, shown: faultsNear(history, history.now()) })),
  ],
}

/** Without the bus, and with it, sessions stay: only their own server's end ends them. */
const sessions: Check = {
  name: 'no session ends but with its server, by a ban, or as its client wants',
  judge: ({ history }) =>
    history.visits
      // Who got no room was not let in: nothing could be read or stored.
      .filter(({ isOwnWish, endedAt, stays }) => !isOwnWish && endedAt !== undefined && stays.length > 0)
      .filter(({ client, machine, endedAt = 0 }) => {
        const isServers = history.faults.some(
          (fault) =>
            /SIGKILL|SIGTERM/.test(fault.name) &&
            fault.machine === machine &&
            Math.abs(fault.begunAt - endedAt) < ENDING_MS,
        )
        const isBanned = history.acts.some(
          ({ kind, mark, begunAt }) => kind === 'ban' && mark === client && begunAt <= endedAt,
        )
        return !isServers && !isBanned
      })
      .map(({ client, machine, openedAt, endedAt, screen }) => ({
        what: `${client}'s session on ${machine} ended at ${at(endedAt)}`,
        shown: [
          `it began at ${at(openedAt)}`,
          `its last lines: ${screen.slice(-300)}`,
          ...faultsNear(history, endedAt ?? 0),
        ],
      })),
}

/** A server that ends tells its people first. */
const ENDING_MS = 8_000

export const checks: readonly Check[] = [kept, order, rolls, turns, bans, sessions, whole]
