import type { Access } from '../../words/tool-words.ts'
import { compileGlob } from '../../base/glob.ts'
import { argumentWords, placeholder } from '../argv.ts'
import { ArgumentError, shown } from '../arguments.ts'
import type { Workspace } from '../workspace.ts'
import { checkedParts } from './command.ts'
import type { Wrapper } from './parse.ts'

type Arguments = { readonly [key: string]: unknown }

/** Throws `ArgumentError` at the first refused word of a call. */
export type WordCheck = (args: Arguments, workspace: Workspace) => Promise<void>

/**
 * Checks the caller's words, except words declared as text. Refuses a word that matches a `@deny` pattern or,
 * if nobody is asked about the call, leads out of the workspace: the sandbox confines other calls.
 */
export function createWordCheck(wrapper: Wrapper, access: Access): WordCheck {
  const denied = createDenyList(wrapper.deny)
  const checksPaths = access === 'read' && wrapper.words !== null
  return async (args, workspace) => {
    for (const { where, text, part } of callersWords(wrapper, args)) {
      const pattern = denied(part)
      if (pattern !== undefined) {
        throw new ArgumentError(`${where} ${shown(text)} is refused: this tool does not allow ${pattern}`)
      }
      const path = checksPaths ? await findOutsidePath(part, workspace) : undefined
      if (path !== undefined) {
        throw new ArgumentError(`${where} ${shown(text)} is refused: ${shown(path)} is outside the workspace`)
      }
    }
  }
}

/** A word of the command; `where` names the argument that it comes from. */
interface Word {
  readonly where?: string
  readonly text: string
}

function callersWords(
  wrapper: Wrapper,
  args: Arguments,
): readonly (Required<Word> & { readonly part: string })[] {
  const words = wrapper.words ? commandWords(wrapper.words.slice(1), args) : parameterWords(wrapper, args)
  const parts = checkedParts(
    words.map(({ text }) => text),
    wrapper.positions,
  )
  return words.flatMap(({ where, text }, at) => {
    const part = parts[at]
    return where === undefined || part === undefined ? [] : [{ where, text, part }]
  })
}

const commandWords = (words: readonly string[], args: Arguments): readonly Word[] =>
  words.flatMap((word) => {
    const name = placeholder(word)
    return name === undefined ? [{ text: word }] : argumentWithWhere(name, args)
  })

const parameterWords = ({ parameters }: Wrapper, args: Arguments): readonly Word[] =>
  parameters.flatMap(({ name }) => argumentWithWhere(name, args))

function argumentWithWhere(name: string, args: Arguments): readonly Word[] {
  const isList = Array.isArray(args[name])
  return argumentWords(name, args).map((text, index) => ({
    where: isList ? `${name}[${index}]` : name,
    text,
  }))
}

/**
 * Returns a function that finds the first pattern that matches an argument. `*` matches any run of
 * characters, `?` one. `--long` also matches `--long=value`; `-x` also matches any one-dash word with this
 * letter (`-rx`, `-xFILE`), even if that refuses too many.
 */
function createDenyList(patterns: readonly string[]): (argument: string) => string | undefined {
  const tests = patterns.map((pattern) => ({ pattern, matches: test(pattern) }))
  return (argument) => tests.find(({ matches }) => matches(argument))?.pattern
}

function test(pattern: string): (argument: string) => boolean {
  if (/^--[^*?]+$/.test(pattern)) {
    return (argument) => argument === pattern || argument.startsWith(`${pattern}=`)
  }
  if (/^-[A-Za-z0-9]$/.test(pattern)) {
    return (argument) => /^-[^-]/.test(argument) && argument.includes(pattern.slice(1))
  }
  return compileGlob(pattern)
}

/** `PATH_MAX` of the kernel: longer words are no paths. */
const MAX_PATH_BYTES = 4096

const MAX_CLUSTER_LETTERS = 10

/**
 * Finds the part of an argument that leads out of the workspace if it is a path. Only the program knows what
 * an argument means, so this tries the whole, the rest after an `=`, and text glued to short options. In a
 * sandbox, glued text without a slash is no path: else a link called `e` would forbid `-name`.
 */
async function findOutsidePath(argument: string, workspace: Workspace): Promise<string | undefined> {
  for (const path of new Set(possiblePaths(argument, workspace))) {
    if (Buffer.byteLength(path) < MAX_PATH_BYTES && (await workspace.placeOf(path)) === undefined) return path
  }
  return undefined
}

function possiblePaths(argument: string, { unsandboxed }: Workspace): readonly string[] {
  const value = argument.includes('=') ? [argument.slice(argument.indexOf('=') + 1)] : []
  if (!argument.startsWith('-')) return [argument, ...value]
  if (argument.startsWith('--')) return value
  const letters = argument.length - argument.replace(/^-[A-Za-z0-9]*/, '').length
  const glued = Array.from({ length: Math.min(letters, MAX_CLUSTER_LETTERS) }, (_, at) =>
    argument.slice(at + 2),
  )
  const isPath = (path: string): boolean =>
    path.includes('/') || path === '..' || (unsandboxed === true && path !== '')
  return value.concat([argument.slice(letters), ...glued].filter(isPath))
}
