import type { Discipline } from '../../chat/moderation/discipline.ts'
import { reasonOf } from './shared/reason.ts'
import { printTold } from './shared/told.ts'
import { type Command, defineCommand } from '../command.ts'

export const kickCommand = (discipline: Pick<Discipline, 'kick'>): Command =>
  defineCommand({
    name: 'kick',
    protects: true,
    summary: 'send somebody out of the room; they may come back',
    room: 'here',
    arguments: [
      { name: 'name', about: 'of somebody in the room' },
      { name: 'reason', about: 'what they and the room are told', optional: true, takes: 'rest' },
    ],
    example: 'bob enough for today',
    rights: { manage: 'kick people' },
    needsVoice: () => false,
    complete: ({ room, argument }) => (argument === 'name' ? room.present().map(({ name }) => name) : []),
    async run(context) {
      const { room, person, args } = context
      printTold(context, await discipline.kick(room, person, args.name, reasonOf(args.reason)))
    },
  })
