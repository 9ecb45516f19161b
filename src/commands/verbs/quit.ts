import { type Command, defineCommand } from '../command.ts'

export const quitCommand = (): Command =>
  defineCommand({
    name: 'quit',
    protects: true,
    waitsForNothing: true,
    aliases: ['q', 'exit', 'bye', 'logout', 'disconnect'],
    summary: 'leave the server',
    room: 'none',
    example: '',
    fromScript: 'Does nothing: a script ends by itself.',
    async run({ session }) {
      session?.quit()
    },
  })
