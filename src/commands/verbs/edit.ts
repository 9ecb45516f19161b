import { EDIT_MINUTES, type OwnLines } from '../../chat/talk/own-lines.ts'
import { defineCommand, type Command } from '../define.ts'

export const editCommand = (lines: Pick<OwnLines, 'edit'>): Command =>
  defineCommand({
    name: 'edit',
    summary: `say your last line of ${EDIT_MINUTES} minutes anew; models read the new one, and the log keeps both`,
    room: 'here',
    arguments: [{ name: 'text', about: 'what the line should say; it calls no model', takes: 'rest' }],
    example: 'the build is red',
    rights: { rule: 'Everybody who may speak in the room, for a line of their own.' },
    run: ({ room, person, args }) => lines.edit(room, person, args.text),
  })
