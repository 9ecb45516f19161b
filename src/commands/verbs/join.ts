import type { Chat } from '../../chat/chat.ts'
import { defineCommand, type Command } from '../define.ts'
import { enter, type Invitations } from './shared/enter.ts'

export const joinCommand = (chat: Pick<Chat, 'room' | 'rooms'>, rooms: Invitations): Command =>
  defineCommand({
    name: 'join',
    summary: 'go into a room',
    room: 'none',
    arguments: [{ name: 'name', about: 'of the room' }],
    example: 'den',
    fromScript: 'Makes somebody who was invited to a private room a member of it; refused otherwise.',
    complete: async ({ person }) => (await chat.rooms(person)).map((room) => room.name),
    run: async (context) => enter(await chat.room(context.args.name, context.person), context, rooms),
  })
