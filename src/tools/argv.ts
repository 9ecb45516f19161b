import { ArgumentError } from './arguments.ts'

export const MAX_ARGUMENTS = 1000

/** Limit in UTF-8 bytes, including the NULs. */
export const MAX_ARGUMENT_BYTES = 128 * 1024

/** Returns the name in a template's `{name}` word. */
export const placeholder = (word: string): string | undefined => /^\{([A-Za-z_]\w*)\}$/.exec(word)?.[1]

/**
 * Replaces each `{name}` word by the value of that argument: an array becomes one word per element, an absent
 * argument none. Values are not escaped or changed. Throws `ArgumentError`.
 */
export function buildArgv(
  words: readonly string[],
  args: { readonly [key: string]: unknown },
): readonly string[] {
  const values = words.map((word) => {
    const name = placeholder(word)
    return name === undefined ? undefined : argumentWords(name, args)
  })
  checkSize(values.flatMap((value) => value ?? []))
  return words.flatMap((word, index) => values[index] ?? [word])
}

/** Throws `ArgumentError` with the index of the first bad element. */
export function argumentWords(name: string, args: { readonly [key: string]: unknown }): readonly string[] {
  const value = Object.hasOwn(args, name) ? args[name] : undefined
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) return [word(name, value)]
  return value.map((element: unknown, index) => word(`${name}[${index}]`, element))
}

function word(where: string, value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string')
    throw new ArgumentError(`${where} must be a string, got ${JSON.stringify(value)}`)
  if (value.includes('\0')) throw new ArgumentError(`${where} holds a NUL byte, which no argument can`)
  return value
}

function checkSize(words: readonly string[]): void {
  if (words.length > MAX_ARGUMENTS) {
    throw new ArgumentError(`${words.length} arguments are too many; at most ${MAX_ARGUMENTS} fit`)
  }
  const bytes = words.reduce((sum, each) => sum + new TextEncoder().encode(each).length + 1, 0)
  if (bytes > MAX_ARGUMENT_BYTES) {
    throw new ArgumentError(`the arguments have ${bytes} bytes; at most ${MAX_ARGUMENT_BYTES} fit`)
  }
}

/** Formats a command for a POSIX shell, only for display. */
export const quoteArgv = (argv: readonly string[]): string =>
  argv.map((each) => (/^[\w@%+=:,./-]+$/.test(each) ? each : `'${each.replaceAll("'", `'\\''`)}'`)).join(' ')
