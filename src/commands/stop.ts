import { mayManage } from '../chat/access.ts'
import { Refusal } from '../chat/errors.ts'
import type { Person } from '../chat/person.ts'
import type { Room } from '../chat/room.ts'
import type { Turns } from '../turns/turns.ts'
import type { Command } from './command.ts'

export const stopCommand = (turns: Turns): Command => ({
  name: 'stop',
  summary: 'stop the models that you called; an op stops all of them',
  room: 'here',
  async run({ person, room }) {
    await stopTurns(turns, room!, person)
  },
})

/** Everybody may stop what they asked for, who manages the room everything. Throws `Refusal` when that is nothing. */
export async function stopTurns(turns: Turns, room: Room, person: Person): Promise<void> {
  const all = mayManage(await room.roleOf(person))
  const mine = turns.running(room.name).filter((turn) => all || turn.requester === person.name)
  if (mine.length === 0) throw new Refusal(`nothing that you could stop is running in ${room.name}`)
  for (const turn of mine) turn.cancel(`${person.name} stopped @${turn.model}`)
}
