import { defineCommand, type Command } from '../define.ts'

export const quitCommand = (): Command =>
  defineCommand({
    name: 'quit',
    summary: 'leave the server',
    room: 'none',
    example: '',
    rights: { rule: 'Everybody, in a session: a script ends by itself.' },
    async run({ session }) {
      session?.quit()
    },
  })
