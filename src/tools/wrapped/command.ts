/** The words of a command template, and which of a call's words may be options or paths. */
import { placeholder } from '../argv.ts'
import type { Parameter, ValueType } from './parameters.ts'

const SHELL_CHARACTERS = /[|&;<>`$]/

/** Returns the words, separated by blanks outside quotes. Throws an `Error` that says what to change. */
export function splitTemplate(template: string): readonly string[] {
  const words: string[] = []
  for (const [, quoted, single, double, plain, other] of template.matchAll(
    /\s*(?:('([^']*)'|"([^"\\]*)")(?=\s|$)|([^\s'"]+)(?=\s|$)|(\S))/g,
  )) {
    if (other !== undefined)
      throw new Error(`@command: a quoted word must stand alone, from ' to ' or from " to "`)
    if (quoted === undefined && SHELL_CHARACTERS.test(plain ?? '')) {
      throw new Error(
        `@command: there is no shell, so ${SHELL_CHARACTERS.exec(plain ?? '')?.[0]} would mean nothing`,
      )
    }
    words.push(single ?? double ?? plain ?? '')
  }
  return words
}

/** Returns a sentence about what is wrong with a template for these parameters. */
export function templateProblem(
  words: readonly string[],
  parameters: readonly Parameter[],
): string | undefined {
  const [program] = words
  if (program === undefined) return '@command is empty'
  if (placeholder(program) !== undefined) return '@command must begin with the name of a program'
  for (const word of words) {
    const name = placeholder(word)
    const inside = /\{[A-Za-z_]\w*\}/.exec(word)?.[0]
    if (name === undefined && inside)
      return `@command: ${inside} must be a word of its own, not a part of ${word}`
    if (name === undefined) continue
    const parameter = parameters.find((each) => each.name === name)
    if (!parameter) return `@command uses {${name}}, but there is no @param ${name}`
    if (!fitsCommand(parameter.type)) return `@command: {${name}} is not text, numbers or a list of those`
  }
  return undefined
}

function fitsCommand(type: ValueType): boolean {
  if (type.type === 'array') return type.items.type !== 'array' && type.items.type !== 'object'
  return type.type !== 'object'
}

export const unusedParameters = (
  words: readonly string[],
  parameters: readonly Parameter[],
): readonly string[] => parameters.map(({ name }) => name).filter((name) => !words.includes(`{${name}}`))

/** The words of a command that are only text, as a `.tool` file declares. */
export interface Positions {
  /** Options whose value is text: in the next word, after an `=`, or glued to a letter. */
  readonly values: readonly string[]
  /** Options that give the command its pattern; without any of them its first operand is the pattern. */
  readonly pattern?: readonly string[]
}

/**
 * Returns the part of each word after the program that may be an option or a path; undefined for a word that
 * is only text. Reads words as getopt_long(3): operands may come among the options, `--` ends the options,
 * and letters may be joined. An abbreviated long option may be another one without a value: no word after it
 * counts as text.
 */
export function checkedParts(
  words: readonly string[],
  { values, pattern }: Positions,
): readonly (string | undefined)[] {
  const parts: (string | undefined)[] = []
  let operands = false
  let isValue = false
  let isUnsure = false
  let hasPattern = pattern === undefined
  let firstOperand: number | undefined
  for (const [at, word] of words.entries()) {
    if (isUnsure) {
      parts.push(word)
    } else if (isValue) {
      isValue = false
      parts.push(undefined)
    } else if (!operands && word === '--') {
      operands = true
      parts.push(word)
    } else if (operands || !/^-./.test(word)) {
      firstOperand ??= at
      parts.push(word)
    } else {
      const option = findOption(word, values)
      isValue = option?.takesNext ?? false
      isUnsure = option?.isAbbreviated ?? false
      hasPattern ||= isUnsure || (option?.names.some((name) => pattern?.includes(name)) ?? false)
      parts.push(option?.part ?? word)
    }
  }
  return parts.map((part, at) => (at === firstOperand && !hasPattern ? undefined : part))
}

interface Option {
  /** The word up to the end of the option. */
  readonly part: string
  readonly names: readonly string[]
  /** True if it abbreviates an option that takes a value. */
  readonly isAbbreviated?: true
  readonly takesNext: boolean
}

function findOption(word: string, options: readonly string[]): Option | undefined {
  if (options.includes(word)) return { part: word, names: [word], takesNext: true }
  if (word.startsWith('--')) {
    const [part = ''] = word.split('=', 1)
    if (options.includes(part)) return { part, names: [part], takesNext: false }
    const names = options.filter((option) => option.startsWith(part))
    return names.length > 0 ? { part: word, names, takesNext: false, isAbbreviated: true } : undefined
  }
  const letters = /^-([A-Za-z0-9]*)/.exec(word)?.[1] ?? ''
  const at = Array.from(letters).findIndex((letter) => options.includes(`-${letter}`))
  if (at === -1) return undefined
  const part = word.slice(0, at + 2)
  return { part, names: [`-${letters.charAt(at)}`], takesNext: part === word }
}
