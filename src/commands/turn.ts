import { Refusal } from '../chat/errors.ts'
import { userContent } from '../wrap/prompt.ts'
import type { TurnStore } from '../turns/ports.ts'
import { JSON_FLAG, type Command } from './command.ts'

export const turnCommand = (turns: Pick<TurnStore, 'find'>): Command => ({
  name: 'turn',
  summary: 'what a past turn was really sent; its id is in history --json',
  room: 'here',
  flags: [JSON_FLAG],
  parameters: [{ name: 'id' }],
  async run({ room, args, flags, out }) {
    const turn = await turns.find(args['id']!)
    // A turn of a room that the asker is not looking at is no more there than one that never was.
    if (!turn || turn.room !== room!.name)
      throw new Refusal(`there is no turn ${args['id']!.slice(0, 40)} in ${room!.name}`)
    if (flags['json']) return out.line(JSON.stringify(turn))
    const { prompt } = turn
    out.line(
      `-- @${turn.model} for ${turn.requester}: ${turn.outcome ?? 'running'}${turn.error ? `, ${turn.error}` : ''}`,
    )
    if (!prompt) return out.line('nothing was sent')
    out.write(`${prompt.system}\n\n${userContent(prompt)}\n`)
    out.line(JSON.stringify(prompt.tools.flatMap((tool) => tool.definition ?? [])))
  },
})
