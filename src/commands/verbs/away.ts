import type { AwayPeople } from '../../chat/talk/away.ts'
import { type Command, defineCommand } from '../command.ts'

export const awayCommand = (away: Pick<AwayPeople, 'leave'>): Command =>
  defineCommand({
    name: 'away',
    aliases: ['afk', 'brb'],
    summary: 'tell whoever writes to you or mentions you that you are away, until you speak again',
    room: 'none',
    arguments: [{ name: 'text', about: 'why, or until when', optional: true, takes: 'rest' }],
    example: 'back at two',
    async run({ person, args, out }) {
      await away.leave(person, args.text ?? '')
      out.line('you are away, until you say something')
    },
  })
