import type { Chat } from '../../chat/chat.ts'
import type { Command } from '../command.ts'

export const forkCommand = (chat: Chat): Command => ({
  name: 'fork',
  summary: 'make a room of your own like this one: its vibe, tools, script and key-values, not what was said',
  room: 'here',
  flags: [{ name: 'private' }],
  parameters: [{ name: 'name' }],
  async run({ person, room, args, flags, out, session }) {
    const made = await chat.fork(room!, args['name']!, person, { private: flags['private'] === true })
    const hidden = (await made.info()).private ? ', and private' : ''
    out.line(`made ${made.name} like ${room!.name}; it is yours${hidden}`)
    await session?.moveTo(made)
  },
})
