import { mayManage } from '../../chat/access.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Person } from '../../chat/people/person.ts'
import type { Room } from '../../chat/room.ts'
import type { ToolRuns } from '../../toolbox/tool-runs.ts'
import type { Turns } from '../../turns/turns.ts'
import type { Summaries } from '../../turns/summaries/summaries.ts'
import { defineCommand, type Command } from '../define.ts'

/** What can be stopped. */
export interface Stoppable {
  readonly turns: Pick<Turns, 'running'>
  readonly runs: Pick<ToolRuns, 'running'>
  readonly summaries: Pick<Summaries, 'stop'>
}

export const stopCommand = (stoppable: Stoppable): Command =>
  defineCommand({
    name: 'stop',
    summary: 'stop the models that you called and the tools that you run; an op stops all of them',
    room: 'here',
    example: '',
    needsVoice: () => false,
    rights: { rule: 'Everybody for what they asked for; the owner of the room, an op or an admin for all.' },
    run: ({ person, room }) => stopAll(stoppable, room, person),
  })

/** Stops what the person asked for; for whoever manages the room, everything. Throws `Refusal` when that is nothing. */
export async function stopAll(
  { turns, runs, summaries }: Stoppable,
  room: Room,
  person: Person,
): Promise<void> {
  const all = mayManage(await room.roleOf(person))
  const isMine = (one: { readonly requester: string }): boolean => all || one.requester === person.name
  const mine = turns.running(room.name).filter(isMine)
  const myRuns = runs.running(room.name).filter(isMine)
  const stoppedSummary = all && summaries.stop(room.name)
  if (mine.length + myRuns.length === 0 && !stoppedSummary)
    throw new Refusal(`nothing that you could stop is running in ${room.name}`)
  for (const turn of mine) turn.cancel(`${person.name} stopped @${turn.model}`)
  for (const run of myRuns) run.cancel()
}
