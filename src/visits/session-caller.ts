// How commands and other parts of the server reach a session.
import type { OpenClient } from '../chat/moderation/index.ts'
import type { Room } from '../chat/index.ts'
import type { SessionCaller } from '../commands/index.ts'
import type { Account } from '../base/jobs/scheduler.ts'
import type { Zone } from '../base/zone.ts'
import type { Screen } from '../terminal/index.ts'
import type { CurrentRoom } from './current-room.ts'
import { pageTurn } from './script-streams.ts'

export const clientOf = (screen: Screen, moves: CurrentRoom): OpenClient => ({
  person: screen.person,
  tell: (text) => screen.print(text),
  end: (why) => screen.quit(`! ${why}`, 1),
  leave: (room, why) => moves.putOut(room, why),
  follow: (room, next) => moves.follow(room, next),
})

const PIPE_COLUMNS = 80

export const callerIn = (
  room: Room,
  screen: Screen,
  moves: CurrentRoom,
  session: {
    /** Undefined without a terminal. */
    readonly columns: number | undefined
    readonly signal: AbortSignal
    readonly account: Account
    readonly zone: Zone
  },
): SessionCaller => ({
  person: screen.person,
  out: {
    line: (text) => screen.print(text),
    write: (text) => screen.print(text),
    warn: (text) => screen.print(`! ${text}`, 'error'),
    columns: session.columns ?? PIPE_COLUMNS,
    ready: () => pageTurn(session.account),
  },
  signal: session.signal,
  session: {
    room,
    zone: session.zone,
    ...(session.columns === undefined && { isPipe: true }),
    isThere: () => moves.isIn(room),
    moveTo: (next) => moves.moveTo(next),
    clear: () => screen.clear(),
    copy: (text) => screen.copy(text),
    quit: () => screen.quit('bye'),
  },
})

/** Returns the first room of a session: `NAME` for `join NAME`, `@NAME` for `talk NAME`. */
export function placeToOpen(line: string): string | undefined {
  const [, verb, name] = /^\s*(join|j|talk)\s+([^\s-]\S*)\s*$/.exec(line) ?? []
  return verb === 'talk' ? `@${name?.replace(/^@/, '')}` : name
}
