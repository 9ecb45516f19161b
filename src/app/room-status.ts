import type { Person } from '../chat/person.ts'
import type { Clock } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import { scopeText } from '../commands/verbs/tools.ts'
import { duration } from '../lib/duration.ts'
import type { SessionStatus } from '../session/ports.ts'
import type { Work } from './work.ts'

/** What the status line says of a room besides its name and who is in it. */
export interface RoomStatus {
  /** What a person can use there. Changes with the room's scope. */
  offers(room: Room, person: Person): Promise<Pick<SessionStatus, 'models' | 'scope' | 'tools'>>
  /** What runs there now, ready to print: `@qwen thinking 3.2s`, `alice run_command 1s`. */
  running(room: Room): readonly string[]
}

export function createRoomStatus({ turns, runs }: Work, clock: Clock): RoomStatus {
  const since = (startedAt: number): string => duration(clock.now() - startedAt)
  return {
    async offers(room, person) {
      const { scope, visible } = await turns.scope({ room, person })
      return { models: turns.names(), scope: scopeText(scope), tools: visible }
    },
    running: ({ name }) => [
      ...turns.running(name).map((turn) => `@${turn.model} ${turn.doing()} ${since(turn.startedAt)}`),
      ...runs.running(name).map((run) => `${run.requester} ${run.tool} ${since(run.startedAt)}`),
    ],
  }
}
