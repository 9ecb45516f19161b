import type { Rooms } from '../../chat/rooms.ts'
import { defineCommand, type Command } from '../define.ts'
import { enter, type Invitations } from './shared/enter.ts'

export const joinCommand = (rooms: Pick<Rooms, 'get' | 'list'>, invitations: Invitations): Command =>
  defineCommand({
    name: 'join',
    summary: 'go into a room',
    room: 'none',
    arguments: [{ name: 'name', about: 'of the room' }],
    example: 'den',
    fromScript: 'Makes somebody who was invited to a private room a member of it; refused otherwise.',
    complete: async ({ person }) => (await rooms.list(person)).map((room) => room.name),
    run: async (context) => enter(await rooms.get(context.args.name, context.person), context, invitations),
  })
