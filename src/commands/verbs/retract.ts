import { EDIT_MINUTES, type OwnLines } from '../../chat/talk/own-lines.ts'
import { type Command, defineCommand } from '../command.ts'

export const retractCommand = (lines: Pick<OwnLines, 'retract'>): Command =>
  defineCommand({
    name: 'retract',
    aliases: ['unsend'],
    summary: `take back your last line of ${EDIT_MINUTES} minutes: models and searches find it no more, and the log keeps it; so does a screen that shows it: what a terminal has scrolled nobody takes back`,
    room: 'here',
    example: '',
    rights: { note: 'Each for a line of their own.' },
    run: ({ room, person }) => lines.retract(room, person),
  })
