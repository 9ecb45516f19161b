import { RINGS } from '../../chat/personal/index.ts'
import { arg } from '../command.ts'
import { verb } from './common.ts'

const WORDS = { all: 'each line', mentions: 'what names you or has your words', off: 'nothing' } as const

export const ring = verb({
  name: 'ring',
  allowedOverQuota: true,
  summary: 'show or set the lines of this room that ring for you: all, mentions or off',
  room: 'here',
  arguments: [arg('what', 'each line, lines that mention you, or no line', { optional: true, oneOf: RINGS })],
  example: 'off',
  needsVoice: () => false,
  async run({ room, person, args, out }, { preferences }) {
    if (args.what !== undefined) await preferences.setRing(person, room.name, args.what)
    const now = (await preferences.of(person)).rings?.get(room.name)
    out.line(
      now ? `${room.name}: ${WORDS[now]} rings for you` : `${room.name}: what /set bell says rings for you`,
    )
  },
})
