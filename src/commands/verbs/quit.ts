import type { Command } from '../command.ts'

export const quitCommand = (): Command => ({
  name: 'quit',
  summary: 'leave the server',
  async run({ session }) {
    session?.quit()
  },
})
