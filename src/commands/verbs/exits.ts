import type { Exits } from '../../chat/exits.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { type Command, JSON_FLAG, defineCommand } from '../command.ts'

export const exitsCommand = (exits: Pick<Exits, 'list'>): Command =>
  defineCommand({
    name: 'exits',
    summary: 'the ways out of this room, and where they lead',
    room: 'here',
    flags: [JSON_FLAG],
    example: '',
    needsVoice: () => false,
    async run({ person, room, flags, out, session }) {
      const visible = await exits.list(room.name, { viewer: person })
      if (flags.json) return out.line(safeJson(visible))
      if (visible.length === 0)
        return out.line(`${room.name} has no exits; ${session ? '/' : ''}portal makes one`)
      for (const exit of visible) out.line(`${exit.direction}  ${exit.room}`)
    },
  })
