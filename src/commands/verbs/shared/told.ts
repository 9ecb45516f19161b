import type { Told } from '../../../chat/moderation/parts.ts'
import type { Caller } from '../../command.ts'

/** Prints what an act was told as, to whoever does not see the room in which it was told. */
export function printTold({ session, out }: Caller, { room, text }: Told): void {
  if (session?.room.name !== room) out.line(text)
}
