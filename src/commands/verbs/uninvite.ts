import type { Memberships } from '../../chat/moderation/memberships.ts'
import { printTold } from './shared/told.ts'
import { type Command, defineCommand } from '../command.ts'

export const uninviteCommand = (memberships: Pick<Memberships, 'uninvite'>): Command =>
  defineCommand({
    name: 'uninvite',
    summary: 'take back an invitation to this private room, or take a member out of it',
    room: 'here',
    arguments: [{ name: 'name', about: 'of the invited, or of the member' }],
    example: 'bob',
    rights: { manage: 'take people out of it' },
    needsVoice: () => false,
    complete: ({ room }) => room.present().map(({ name }) => name),
    run: async (context) =>
      printTold(context, await memberships.uninvite(context.room, context.person, context.args.name)),
  })
