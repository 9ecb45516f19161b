import type { Chat } from '../../chat/chat.ts'
import { Refusal } from '../../chat/errors.ts'
import type { RoomStore } from '../../chat/ports.ts'
import type { Command } from '../command.ts'
import { enter } from '../enter.ts'

export const goCommand = (chat: Chat, rooms: RoomStore): Command => ({
  name: 'go',
  summary: 'go through an exit of this room',
  parameters: [{ name: 'direction' }],
  async run(call) {
    const { person, room, args } = call
    if (!room) throw new Refusal('a script is in no room; name the room instead: say ROOM TEXT')
    const direction = args['direction']!.toLowerCase()
    const exit = await chat.exits.follow(room.name, direction, { viewer: person })
    await enter(await chat.room(exit.room, person), call, rooms)
  },
})
