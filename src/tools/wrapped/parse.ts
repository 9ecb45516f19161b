import { ACCESSES, isReservedToolId, type Access } from '../../words/tool-words.ts'
import { errorMessage } from '../../base/errors.ts'
import { closest } from '../../base/suggest.ts'
import { splitAnnotations, type Annotation, type Report } from './annotations.ts'
import { splitTemplate, templateProblem, unusedParameters, type Positions } from './command.ts'
import { readParameters, type Parameter } from './parameters.ts'

/** Something wrong or odd in a `.tool` file. */
export interface ToolFileProblem {
  readonly file: string
  /** 1-based. */
  readonly line: number
  readonly message: string
}

/** A file that is ignored because of `by`, which has its name in an earlier directory. */
export interface ReplacedToolFile {
  readonly file: string
  readonly by: string
}

/** A `.tool` file that is correct by itself. */
export interface ToolFile {
  readonly file: string
  readonly line: number
  readonly name: string
  readonly wrapped: string
  readonly title: string
  readonly description: string
  /** True for a file of only `@name` and `@wrapped`, which is surely meant as an alias. */
  readonly bare: boolean
  /** Absent for an alias. */
  readonly wrapper?: Wrapper
}

export interface Wrapper {
  /** The template's words; null without `@command`. */
  readonly words: readonly string[] | null
  readonly parameters: readonly Parameter[]
  /** Absent: the base tool's access applies. */
  readonly access?: Access
  readonly deny: readonly string[]
  readonly positions: Positions
}

export type ParsedToolFile =
  | { readonly definition: ToolFile; readonly warnings: readonly ToolFileProblem[] }
  | { readonly problems: readonly ToolFileProblem[]; readonly warnings: readonly ToolFileProblem[] }

const ONCE: readonly string[] = ['@title', '@name', '@wrapped', '@command', '@example', '@access']
const MANY = ['@deny', '@value', '@pattern', '@param', '@type', '@property']
const KNOWN = [...ONCE, ...MANY]

/** Reads a `.tool` file (docs/tools.md). Never throws: returns all problems with their lines and `file`. */
export function parseToolFile(text: string, file: string): ParsedToolFile {
  const problems: ToolFileProblem[] = []
  const warnings: ToolFileProblem[] = []
  const report: Report = (line, message) => problems.push({ file, line, message })
  const warn: Report = (line, message) => warnings.push({ file, line, message })

  const { description, annotations, loose } = splitAnnotations(text)
  for (const line of loose) warn(line, 'this line belongs to nothing: a blank line ended what was above it')
  const parts = { description, annotations, first: firstOfEachWord(annotations, report, warn), report, warn }
  const definition = readToolFile(file, parts)
  return problems.length > 0 || !definition ? { problems, warnings } : { definition, warnings }
}

interface Parts {
  readonly description: string
  readonly annotations: readonly Annotation[]
  readonly first: ReadonlyMap<string, Annotation>
  readonly report: Report
  readonly warn: Report
}

function firstOfEachWord(
  annotations: readonly Annotation[],
  report: Report,
  warn: Report,
): Map<string, Annotation> {
  const first = new Map<string, Annotation>()
  for (const each of annotations) {
    if (!KNOWN.includes(each.word))
      warn(each.line, `unknown ${each.word}${suggestion(each.word)}; it is ignored`)
    else if (!MANY.includes(each.word) && first.has(each.word))
      report(each.line, `${each.word} is given twice`)
    else if (!first.has(each.word)) first.set(each.word, each)
  }
  return first
}

function suggestion(word: string): string {
  const near = closest(word, KNOWN)
  return near ? ` (did you mean ${near}?)` : ''
}

function readToolFile(file: string, parts: Parts): ToolFile | undefined {
  const name = toolName('@name', parts)
  const wrapped = toolName('@wrapped', parts)
  const title = parts.first.get('@title')?.text ?? ''
  const wrapper = readWrapper(parts)
  if (name && isReservedToolId(name)) parts.report(lineOf('@name', parts), `the name ${name} is reserved`)
  if (wrapper && title === '') parts.report(1, 'a wrapped tool needs a @title')
  if (wrapper && parts.description === '')
    parts.report(1, 'a wrapped tool needs a description before its first @ line')
  if (!name || !wrapped) return undefined
  const { description, annotations } = parts
  const bare = description === '' && annotations.length === 2
  const base = { file, line: lineOf('@name', parts), name, wrapped, title, description, bare }
  return wrapper ? { ...base, wrapper } : base
}

const lineOf = (word: string, parts: Parts): number => parts.first.get(word)?.line ?? 1

function toolName(word: '@name' | '@wrapped', { first, report }: Parts): string | undefined {
  const found = first.get(word)
  if (!found) report(1, `${word} is missing: ${word} and the name of a tool`)
  else if (/^[A-Za-z0-9_-]{1,64}$/.test(found.text)) return found.text
  else {
    const text = found.text.slice(0, 80)
    report(found.line, `${word} must be one name of 1-64 letters, digits, _ and -, not '${text}'`)
  }
  return undefined
}

/** Undefined for an alias, which has no command, parameters or access. */
function readWrapper(parts: Parts): Wrapper | undefined {
  const { annotations, first, report, warn } = parts
  const own = ['@command', '@param', '@type', '@property', '@access', '@deny', '@value', '@pattern']
  if (!annotations.some(({ word }) => own.includes(word))) return undefined
  const parameters = readParameters(annotations, report)
  if (!first.has('@param')) report(1, 'a wrapped tool needs at least one @param')
  const words = readCommand(parts)
  const problem = words && templateProblem(words, parameters)
  if (problem) report(lineOf('@command', parts), problem)
  for (const name of words ? unusedParameters(words, parameters) : []) {
    warn(lineOf('@command', parts), `@command does not use {${name}}`)
  }
  return { words, parameters, positions: readPositions(parts), ...readAccess(parts) }
}

function readCommand({ first, report }: Parts): readonly string[] | null {
  const command = first.get('@command')
  if (!command) return null
  try {
    return splitTemplate(command.text)
  } catch (error) {
    report(command.line, errorMessage(error))
    return null
  }
}

/** `@value` and `@pattern` name options. If `@pattern` names none, the first operand is the pattern. */
function readPositions(parts: Parts): Positions {
  const values = readOptions('@value', parts)
  const pattern = readOptions('@pattern', parts)
  for (const word of ['@value', '@pattern']) {
    if (parts.first.has(word) && !parts.first.has('@command'))
      parts.report(lineOf(word, parts), `${word} is for the words of a @command`)
  }
  if (parts.first.has('@value') && values.length === 0)
    parts.report(lineOf('@value', parts), '@value needs options, such as -e or --regexp')
  return { values: [...values, ...pattern], ...(parts.first.has('@pattern') ? { pattern } : {}) }
}

function readOptions(word: string, { annotations, report }: Parts): readonly string[] {
  return annotations.flatMap(({ word: own, text, line }) => {
    const options = own === word ? text.split(/\s+/).filter((option) => option !== '') : []
    const wrong = options.find((option) => !/^--?[A-Za-z0-9][\w-]*$/.test(option))
    if (wrong !== undefined) report(line, `${word} takes options, such as -e or --regexp, not '${wrong}'`)
    return options
  })
}

/** `@access` needs a `@deny`; `@deny none` refuses nothing. */
function readAccess({ annotations, first, report }: Parts): Pick<Wrapper, 'access' | 'deny'> {
  const access = first.get('@access')
  const chosen = ACCESSES.find((each) => each === access?.text)
  const denials = annotations.filter(({ word }) => word === '@deny')
  const deny = denials.flatMap(({ text }) => text.split(/\s+/).filter((pattern) => pattern !== ''))
  if (access && !chosen)
    report(access.line, `@access must be one of ${ACCESSES.join(', ')}, not '${access.text}'`)
  if (access && denials.length === 0)
    report(access.line, '@access needs a @deny line (or the words @deny none)')
  for (const { text, line } of denials)
    if (text === '') report(line, '@deny needs patterns, or the word none')
  const [firstDenial] = denials
  if (firstDenial && deny.includes('none') && deny.length > 1)
    report(firstDenial.line, '@deny none stands alone')
  return { deny: deny.filter((pattern) => pattern !== 'none'), ...(chosen ? { access: chosen } : {}) }
}
