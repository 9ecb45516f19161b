import { EDIT_MINUTES, type OwnLines } from '../../chat/talk/own-lines.ts'
import { defineCommand, type Command } from '../define.ts'

export const retractCommand = (lines: Pick<OwnLines, 'retract'>): Command =>
  defineCommand({
    name: 'retract',
    summary: `take back your last line of ${EDIT_MINUTES} minutes: models and searches find it no more, and the log keeps it`,
    room: 'here',
    example: '',
    rights: { rule: 'Everybody who may speak in the room, for a line of their own.' },
    run: ({ room, person }) => lines.retract(room, person),
  })
