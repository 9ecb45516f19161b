// What several verbs share: flags, pages of the log, charts, the words for what was changed. It must not know any verb.
import type { CommandContext } from '../../command.ts'

/** Tells the room what somebody changed in it; a script, which does not see the room, reads it too. */
export async function announce(
  { room, person, session, out }: CommandContext<'here'>,
  text: string,
): Promise<void> {
  await room.record({ kind: 'notice', level: 'info', author: person.name, text })
  if (!session) out.line(text)
}
