import { EDIT_MINUTES, type OwnLines } from '../../chat/talk/own-lines.ts'
import { textOrPiped } from './shared/piped-text.ts'
import { type Command, defineCommand } from '../command.ts'

export const editCommand = (lines: Pick<OwnLines, 'edit'>): Command =>
  defineCommand({
    name: 'edit',
    summary: `say your last line of ${EDIT_MINUTES} minutes anew; models read the new one, and the log keeps both`,
    room: 'here',
    arguments: [
      {
        name: 'text',
        about: 'what the line should say; it calls no model; where it is -, a script pipes it in',
        takes: 'rest',
      },
    ],
    example: 'the build is red',
    rights: { note: 'Each for a line of their own.' },
    async run(context) {
      await lines.edit(context.room, context.person, await textOrPiped(context.args.text, context))
    },
  })
