import { placeholder } from '../../tools/argv.ts'
import type { Parameter, ValueType } from './definition.ts'

/** Characters that only a shell understands. */
const SHELL_CHARACTERS = /[|&;<>`$]/

/**
 * The words of a command template, which blanks separate; quotes of both kinds keep blanks in a word. Throws an
 * `Error` that says what to change. What only a shell understands is refused, because no shell reads the template.
 */
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

/** What is wrong with a template for these parameters, in a sentence; nothing if it can be used. */
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

/** Parameters that the template leaves unused. */
export const unused = (words: readonly string[], parameters: readonly Parameter[]): readonly string[] =>
  parameters.map(({ name }) => name).filter((name) => !words.includes(`{${name}}`))
