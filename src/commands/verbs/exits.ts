import type { Chat } from '../../chat/chat.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { defineCommand, JSON_FLAG, type Command } from '../define.ts'

export const exitsCommand = (chat: Pick<Chat, 'exits'>): Command =>
  defineCommand({
    name: 'exits',
    summary: 'the ways out of this room, and where they lead',
    room: 'here',
    flags: [JSON_FLAG],
    example: '',
    async run({ person, room, flags, out }) {
      const exits = await chat.exits.list(room.name, { viewer: person })
      if (flags.json) return out.line(safeJson(exits))
      if (exits.length === 0) return out.line(`${room.name} has no exits; portal makes one`)
      for (const exit of exits) out.line(`${exit.direction}  ${exit.room}`)
    },
  })
