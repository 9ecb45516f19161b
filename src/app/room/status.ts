import type { Person } from '../../chat/people/person.ts'
import type { Clock } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import { scopeText } from '../../prompt/scope.ts'
import { duration } from '../../lib/duration.ts'
import type { SessionStatus } from '../../session/ports.ts'
import type { Activity } from '../activity.ts'

/** What a person can use in a room. Changes with the room's scope; people of one role have the same. */
export type Offers = Pick<SessionStatus, 'models' | 'scope' | 'tools'>

/** What the status line says of a room besides its name and how many are in it. */
export interface RoomStatus {
  offers(room: Room, person: Person): Promise<Offers>
  /** What runs there now, ready to print: `@qwen thinking 3.2s`, `alice run_command 1s`. */
  running(room: Room): readonly string[]
}

export function createRoomStatus({ turns, runs }: Activity, clock: Clock): RoomStatus {
  const since = (startedAt: number): string => duration(clock.now() - startedAt)
  return {
    async offers(room, person) {
      const { scope, visible } = await turns.scope({ room, person })
      return { models: turns.names(), scope: scopeText(scope), tools: visible }
    },
    running: ({ name }) => [
      ...turns.running(name).map((turn) => `@${turn.model} ${turn.doing()} ${since(turn.startedAt)}`),
      ...runs.running(name).map((run) => `${run.requester} ${run.doing()} ${since(run.since())}`),
    ],
  }
}
