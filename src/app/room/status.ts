import type { Person } from '../../chat/people/person.ts'
import type { Clock } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import type { WaitingQuestion } from '../../approvals/approvals.ts'
import { scopeText } from '../../prompt/scope.ts'
import { runningTime } from '../../lib/duration.ts'
import type { RunningWork, SessionStatus } from '../../session/ports.ts'
import type { TurnStore } from '../../turns/ports.ts'
import type { Activity, Work } from '../activity.ts'

/** What a person can use in a room. Changes with the room's scope; people of one role have the same. */
export type Choices = Pick<SessionStatus, 'models' | 'scope' | 'tools'>

/** What the status line says of a room besides its name and how many are in it. */
export interface RoomStatus {
  choices(room: Room, person: Person): Promise<Choices>
  /** What runs there now, turns first. */
  running(room: Room): readonly RunningWork[]
  /** The questions that are open there. */
  questions(room: Room): readonly WaitingQuestion[]
  /** Of the turn that began last there. Rejects with `StorageError`. */
  lastTurn(room: Room): Promise<SessionStatus['lastTurn']>
}

export function createRoomStatus(
  { turns, runs }: Pick<Work, 'turns' | 'runs'>,
  approvals: Activity['approvals'],
  store: Pick<TurnStore, 'last'>,
  clock: Clock,
): RoomStatus {
  const since = (startedAt: number): string => runningTime(clock.now() - startedAt)
  return {
    async choices(room, person) {
      const { scope, visible } = await turns.toolCount({ room, person })
      return { models: turns.names(), scope: scopeText(scope), tools: visible }
    },
    running: ({ name }) => [
      ...turns.running(name).map((turn) => ({
        id: turn.id,
        who: `@${turn.model}`,
        doing: turn.doing(),
        progress: turn.progress(),
        time: since(turn.startedAt),
        requester: turn.requester,
      })),
      ...runs.running(name).map((run) => ({
        id: run.call,
        who: run.requester,
        doing: run.doing(),
        progress: run.progress(),
        time: since(run.since()),
        requester: run.requester,
      })),
    ],
    questions: ({ name }) => approvals.open(name),
    async lastTurn({ name }) {
      const { prompt } = (await store.last(name)) ?? {}
      return prompt && { used: prompt.budget.used, target: prompt.budget.target }
    },
  }
}
