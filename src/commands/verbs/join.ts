import type { Chat } from '../../chat/chat.ts'
import type { RoomStore } from '../../chat/ports.ts'
import type { Command } from '../command.ts'
import { enter } from '../enter.ts'

export const joinCommand = (chat: Chat, rooms: RoomStore): Command => ({
  name: 'join',
  summary: 'go into a room',
  parameters: [{ name: 'name' }],
  run: async (call) => enter(await chat.room(call.args['name']!, call.person), call, rooms),
})
