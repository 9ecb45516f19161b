import type { Discipline } from '../../chat/moderation/discipline.ts'
import { durationOf } from './shared/reason.ts'
import { printTold } from './shared/told.ts'
import { type Command, defineCommand } from '../command.ts'

export const muteCommand = (discipline: Pick<Discipline, 'mute'>): Command =>
  defineCommand({
    name: 'mute',
    protects: true,
    summary: 'somebody may read here, and not speak',
    room: 'here',
    arguments: [
      { name: 'name', about: 'of anybody, here or not' },
      { name: 'duration', about: '30s, 10m, 2h, 7d; until it is undone without it', optional: true },
    ],
    example: 'bob 10m',
    rights: { manage: 'mute people' },
    needsVoice: () => false,
    complete: ({ room, argument }) => (argument === 'name' ? room.present().map(({ name }) => name) : []),
    async run(context) {
      const { room, person, args } = context
      const ms = args.duration === undefined ? undefined : durationOf(args.duration)
      printTold(context, await discipline.mute(room, person, args.name, ms))
    },
  })

export const unmuteCommand = (discipline: Pick<Discipline, 'unmute'>): Command =>
  defineCommand({
    name: 'unmute',
    summary: 'somebody may speak here again',
    room: 'here',
    arguments: [{ name: 'name', about: 'of somebody who is muted' }],
    example: 'bob',
    rights: { manage: 'unmute people' },
    needsVoice: () => false,
    complete: ({ room }) => room.present().map(({ name }) => name),
    run: async (context) =>
      printTold(context, await discipline.unmute(context.room, context.person, context.args.name)),
  })
