import type { Chat } from '../../chat/chat.ts'
import { Refusal } from '../../chat/errors.ts'
import { LOBBY } from '../../chat/names.ts'
import type { Command } from '../command.ts'

export const leaveCommand = (chat: Chat): Command => ({
  name: 'leave',
  summary: 'go back to the lobby',
  async run({ room, session }) {
    if (!session) throw new Refusal('a script is in no room, so there is none to leave')
    if (room?.name === LOBBY) throw new Refusal('you are in the lobby; /quit leaves the server')
    await session.moveTo(await chat.lobby())
  },
})
