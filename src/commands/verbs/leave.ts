import type { Rooms } from '../../chat/rooms.ts'
import { Refusal } from '../../chat/errors.ts'
import { LOBBY } from '../../chat/people/names.ts'
import { defineCommand, type Command } from '../define.ts'

export const leaveCommand = (rooms: Pick<Rooms, 'lobby'>): Command =>
  defineCommand({
    name: 'leave',
    summary: 'go back to the lobby',
    room: 'none',
    example: '',
    fromScript: 'Refused: a script is in no room, so there is none to leave.',
    async run({ session }) {
      if (!session) throw new Refusal('a script is in no room, so there is none to leave')
      if (session.room.name === LOBBY) throw new Refusal('you are in the lobby; /quit leaves the server')
      await session.moveTo(await rooms.lobby())
    },
  })
