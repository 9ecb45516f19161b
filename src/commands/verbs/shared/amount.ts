import { Misuse } from '../../command.ts'

/** The number that a flag gives, from 1 to `most`. Throws `Misuse`. */
export function amount(
  text: string | undefined,
  { name, fallback, most }: { readonly name: string; readonly fallback: number; readonly most: number },
): number {
  if (text === undefined) return fallback
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (number < 1 || number > most) throw new Misuse(`--${name} takes a number from 1 to ${most}`)
  return number
}
