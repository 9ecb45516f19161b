import { mayManage } from '../../chat/may-manage.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Person } from '../../chat/people/person.ts'
import type { Room } from '../../chat/room.ts'
import type { ToolRuns } from '../../toolbox/tool-runs.ts'
import type { TurnAtWork } from '../../turns/queue.ts'
import type { Turns } from '../../turns/turns.ts'
import type { Summaries } from '../../turns/summaries/summaries.ts'
import { modelName } from './shared/model-name.ts'
import { type Command, defineCommand } from '../command.ts'

/** What can be stopped. */
export interface Stoppable {
  readonly turns: Pick<Turns, 'running' | 'names'>
  readonly runs: Pick<ToolRuns, 'running'>
  readonly summaries: Pick<Summaries, 'stop'>
}

export const stopCommand = (stoppable: Stoppable): Command =>
  defineCommand({
    name: 'stop',
    protects: true,
    waitsForNothing: true,
    summary:
      'stop the models that you called and the tools that you run, or one model alone; an op stops those of all',
    room: 'here',
    arguments: [
      {
        name: 'model',
        about: 'whose turns are stopped, and nothing else; with or without @',
        optional: true,
      },
    ],
    example: '@guide',
    needsVoice: () => false,
    rights: { note: 'Each for what they asked for; the owner of the room, an op or an admin for all.' },
    complete: ({ room }) => [...new Set(stoppable.turns.running(room.name).map(({ model }) => model))],
    run: ({ person, room, args }) =>
      args.model === undefined
        ? stopAll(stoppable, room, person)
        : stopModel(stoppable.turns, args.model, room, person),
  })

/** Stops what the person asked for; for whoever manages the room, everything. Throws `Refusal` when that is nothing. */
export async function stopAll(
  { turns, runs, summaries }: Stoppable,
  room: Room,
  person: Person,
): Promise<void> {
  const all = mayManage(await room.roleOf(person))
  const isMine = ({ requesterId }: Pick<TurnAtWork, 'requesterId'>): boolean =>
    all || requesterId === person.id
  const mine = turns.running(room.name).filter(isMine)
  const myRuns = runs.running(room.name).filter(isMine)
  const stoppedSummary = all && summaries.stop(room.name)
  if (mine.length + myRuns.length === 0 && !stoppedSummary)
    throw new Refusal(`nothing that you could stop is running in ${room.name}`)
  for (const turn of mine) cancelFor(person, turn)
  for (const run of myRuns) run.cancel(`${person.name} stopped it`)
}

/** Stops the turns of one model. Throws `Refusal` where none is theirs to stop, or no model is called that. */
async function stopModel(turns: Stoppable['turns'], word: string, room: Room, person: Person): Promise<void> {
  const running = turns.running(room.name)
  // A model that the config does not have any more may still be at work.
  const model = modelName(word, [...turns.names(), ...running.map((turn) => turn.model)])
  const all = mayManage(await room.roleOf(person))
  const mine = running.filter((turn) => turn.model === model && (all || turn.requesterId === person.id))
  if (mine.length === 0) throw new Refusal(`@${model} is doing nothing in ${room.name} that you could stop`)
  for (const turn of mine) cancelFor(person, turn)
}

/** The room reads who stopped whose turn. */
const cancelFor = ({ id, name }: Person, { model, requester, requesterId, cancel }: TurnAtWork): void =>
  cancel(`${name} stopped @${model}${requesterId === id ? '' : `'s turn for ${requester}`}`)
