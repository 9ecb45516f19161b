import type { Person } from '../chat/person.ts'
import type { Clock } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import { scopeText } from '../commands/verbs/tools.ts'
import { duration } from '../lib/duration.ts'
import type { Outlook } from './seat.ts'
import type { Turns } from '../turns/turns.ts'
import type { Work } from './work.ts'

/** What the status line tells a person of a room. */
export async function outlook(turns: Turns, room: Room, person: Person): Promise<Outlook> {
  const { scope, visible } = await turns.scope({ room, person })
  return { models: turns.names(), scope: scopeText(scope), tools: visible }
}

/** `@qwen thinking 3.2s`, `alice run_command 1s` */
export function runningIn({ turns, runs }: Work, clock: Clock, { name }: Room): readonly string[] {
  const since = (startedAt: number): string => duration(clock.now() - startedAt)
  return [
    ...turns.running(name).map((turn) => `@${turn.model} ${turn.doing()} ${since(turn.startedAt)}`),
    ...runs.running(name).map((run) => `${run.requester} ${run.tool} ${since(run.startedAt)}`),
  ]
}
