import type { Memberships } from '../../chat/moderation/memberships.ts'
import { printTold } from './shared/told.ts'
import { type Command, defineCommand } from '../command.ts'

export const opCommand = (memberships: Pick<Memberships, 'op'>): Command =>
  defineCommand({
    name: 'op',
    summary: 'let somebody manage the room with you',
    room: 'here',
    arguments: [{ name: 'name', about: 'of somebody who has registered here' }],
    example: 'bob',
    rights: { manage: 'make ops' },
    needsVoice: () => false,
    complete: ({ room }) => room.present().map(({ name }) => name),
    run: async (context) =>
      printTold(context, await memberships.op(context.room, context.person, context.args.name)),
  })

export const deopCommand = (memberships: Pick<Memberships, 'deop'>): Command =>
  defineCommand({
    name: 'deop',
    summary: "take an op's rights back",
    room: 'here',
    arguments: [{ name: 'name', about: 'of the op' }],
    example: 'bob',
    rights: { manage: 'unmake ops' },
    needsVoice: () => false,
    complete: ({ room }) => room.present().map(({ name }) => name),
    run: async (context) =>
      printTold(context, await memberships.deop(context.room, context.person, context.args.name)),
  })
