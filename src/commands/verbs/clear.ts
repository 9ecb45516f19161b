import { type Command, defineCommand } from '../command.ts'

export const clearCommand = (): Command =>
  defineCommand({
    name: 'clear',
    waitsForNothing: true,
    aliases: ['cls'],
    summary: 'clear the screen, as Ctrl-L does; /history shows what was said',
    room: 'none',
    example: '',
    fromScript: 'Does nothing: a script has no screen.',
    async run({ session }) {
      session?.clear()
    },
  })
