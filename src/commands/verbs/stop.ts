import { mayManage } from '../../chat/access.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Person } from '../../chat/person.ts'
import type { Room } from '../../chat/room.ts'
import type { ToolRuns } from '../../toolbox/tool-runs.ts'
import type { Turns } from '../../turns/turns.ts'
import type { Command } from '../command.ts'

export const stopCommand = (turns: Turns, runs: ToolRuns): Command => ({
  name: 'stop',
  summary: 'stop the models that you called and the tools that you run; an op stops all of them',
  room: 'here',
  async run({ person, room }) {
    await stopAll(turns, runs, room!, person)
  },
})

/** Everybody may stop what they asked for, who manages the room everything. Throws `Refusal` when that is nothing. */
export async function stopAll(turns: Turns, runs: ToolRuns, room: Room, person: Person): Promise<void> {
  const all = mayManage(await room.roleOf(person))
  const isMine = (one: { readonly requester: string }): boolean => all || one.requester === person.name
  const mine = turns.running(room.name).filter(isMine)
  const myRuns = runs.running(room.name).filter(isMine)
  if (mine.length + myRuns.length === 0)
    throw new Refusal(`nothing that you could stop is running in ${room.name}`)
  for (const turn of mine) turn.cancel(`${person.name} stopped @${turn.model}`)
  for (const run of myRuns) run.cancel()
}
