import { zoneOf } from '../../../src/base/zone.ts'
import type { Person } from '../../../src/words/person.ts'
import type { Room } from '../../../src/chat/room.ts'
import { createDeferred } from '../../../src/base/jobs/waiting.ts'
import { plainOf } from '../../../src/base/text/styled.ts'
import type { Output, SessionCaller } from '../../../src/commands/command.ts'

/** What a caller was told, and what became of its session. Grows while something runs in the background. */
export interface Told {
  /** Lines, and text that was written as it is. */
  readonly out: string[]
  readonly err: string[]
  /** The rooms that the session was moved to, and `quit` for its end. */
  readonly moves: string[]
}

/** Keeps what a command prints; `next` resolves with the line or warning that comes next. */
export function recordOutput(): { readonly told: Told; readonly out: Output; next(): Promise<string> } {
  const told: Told = { out: [], err: [], moves: [] }
  let waiting = createDeferred<string>()
  const keep = (list: string[], text: string): void => {
    list.push(text)
    waiting.resolve(text)
    waiting = createDeferred()
  }
  return {
    told,
    next: () => waiting.promise,
    out: {
      line: (text) => keep(told.out, plainOf(text)),
      write: (text) => keep(told.out, text),
      warn: (text) => keep(told.err, text),
      columns: 80,
      ready: async () => {},
    },
  }
}

export function sessionIn(room: Room, person: Person, zone = zoneOf('UTC')) {
  const { told, out, next } = recordOutput()
  const session = {
    room,
    zone,
    isThere: () => true,
    moveTo: async (target: Room) => void told.moves.push(target.name),
    clear: () => void told.moves.push('clear'),
    copy: (text: string) => told.moves.push(`copy ${text}`) > 0,
    quit: () => void told.moves.push('quit'),
  }
  const caller: SessionCaller = { person, out, signal: new AbortController().signal, session }
  return { caller, told, next }
}
