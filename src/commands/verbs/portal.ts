import type { Chat } from '../../chat/chat.ts'
import type { Call, Command } from '../command.ts'
import { needManager } from '../rights.ts'

export const portalCommand = (chat: Chat): Command => ({
  name: 'portal',
  summary: 'make an exit of this room that leads into another one (- takes it away)',
  room: 'here',
  parameters: [{ name: 'direction' }, { name: 'to' }],
  async run(call) {
    const { person, room, args } = call
    await needManager(room!, person, 'change its exits')
    const direction = args['direction']!.toLowerCase()
    if (args['to'] === '-') {
      await chat.exits.close(room!.name, direction, { viewer: person })
      return call.out.line(`the exit ${direction} is gone`)
    }
    const target = await chat.room(args['to']!, person)
    await chat.exits.open(room!.name, { direction, room: target.name })
    await tell(call, `${direction} leads to ${target.name} now`, (await target.info()).private)
  },
})

/** All are told of a new exit, but of a private room only the one who made the exit. */
async function tell({ person, room, session, out }: Call, news: string, isPrivate: boolean): Promise<void> {
  if (!isPrivate) {
    const text = `${person.name} made an exit: ${news}`
    await room!.record({ kind: 'notice', level: 'info', author: person.name, text })
  }
  if (!session || isPrivate) out.line(news)
}
