import type { Chat } from '../../chat/chat.ts'
import type { Command } from '../command.ts'

export const createCommand = (chat: Chat): Command => ({
  name: 'create',
  summary: 'make a room of your own; --private hides it from all but those you invite',
  flags: [{ name: 'private' }],
  parameters: [{ name: 'name' }],
  async run({ person, args, flags, out, session }) {
    const room = await chat.create(args['name']!, person, { private: flags['private'] === true })
    out.line(`made ${room.name}, which is yours`)
    await session?.moveTo(room)
  },
})
