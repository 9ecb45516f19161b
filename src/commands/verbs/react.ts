import type { Reactions } from '../../chat/talk/reactions.ts'
import { type Command, Misuse, defineCommand } from '../command.ts'

/** Offered where somebody does not know what to write: any other emoji works as well. */
const OFTEN_USED: readonly string[] = ['👍', '👎', '❤️', '😂', '🎉', '🤔', '👀', '🙏', '✅', '🚀']

export const reactCommand = (reactions: Reactions): Command =>
  defineCommand({
    name: 'react',
    summary: 'put an emoji on the last line; the same again takes it back',
    room: 'here',
    arguments: [
      {
        name: 'emoji',
        about: 'one emoji; before it, the id of another line than the last, as history --json shows it',
        takes: 'words',
      },
    ],
    example: '👍',
    complete: ({ given }) => (given.length > 1 ? [] : OFTEN_USED),
    async run({ room, person, args }) {
      const [first, second, ...more] = args.emoji
      if (first === undefined) throw new Misuse('EMOJI is missing')
      if (more.length > 0) throw new Misuse('it takes one emoji, and before it an id')
      if (second === undefined) await reactions.react(room, person, first)
      else await reactions.react(room, person, second, first)
    },
  })
