import { Refusal } from '../../../chat/errors.ts'
import type { Caller } from '../../command.ts'

/**
 * The text on the line, or what a script pipes in where the line has none, or a mere `-`. In a session, `-` is what it says.
 * Throws `Refusal` where there is neither.
 */
export async function textOrPiped(
  onLine: string | undefined,
  { script }: Pick<Caller, 'script'>,
): Promise<string> {
  const text =
    script && (onLine === undefined || onLine.trim() === '-') ? await script.stdin('until-end') : onLine
  if (text === undefined) throw new Refusal('there is nothing to say: the message is empty')
  return text
}
