import { BACK } from '../../../chat/talk/away.ts'
import type { SentMessage } from '../../../chat/talk/direct-messages.ts'
import type { Talk } from '../../../chat/talk/talk.ts'
import type { Caller } from '../../command.ts'

/**
 * Shows a script what it wrote to one person, which sessions show by themselves, and whoever wrote it that this person is
 * away. Who writes is not away any more.
 */
export function tellSent(
  { away }: Pick<Talk, 'away'>,
  { person, out, session }: Pick<Caller, 'person' | 'out' | 'session'>,
  { to, line }: SentMessage,
): void {
  if (!session) out.line(line)
  const isAway = away.toldTo(person.id, to)
  if (isAway !== undefined) out.line(`-- ${isAway}`)
  if (away.comeBack(person.id)) out.line(`-- ${BACK}`)
}
