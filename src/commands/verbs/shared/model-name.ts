import { Refusal } from '../../../chat/errors.ts'
import { closest } from '../../../lib/suggest.ts'

/** The model that `@qwen`, `qwen` or `@QWEN` means. Throws `Refusal` with a did-you-mean. */
export function modelName(word: string, names: readonly string[]): string {
  const name = word.replace(/^@/, '').toLowerCase()
  if (names.includes(name)) return name
  const near = closest(name, names)
  throw new Refusal(
    `there is no model called @${name.slice(0, 40)}; ${near ? `did you mean @${near}?` : '/models lists them'}`,
  )
}
