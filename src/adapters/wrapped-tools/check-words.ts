import { argumentWords, placeholder } from '../../tools/argv.ts'
import { ArgumentError, shown } from '../../tools/arguments.ts'
import type { Workspace } from '../../tools/workspace.ts'
import type { Access } from '../../chat/tool-words.ts'
import type { Wrapper } from './definition.ts'
import { denyList } from './deny.ts'
import { leadsOutside } from './outside.ts'
import { checkedParts } from './positions.ts'

/** The arguments of a call, by name. */
type Arguments = { readonly [key: string]: unknown }

/** Throws `ArgumentError` at the first word of a call that is refused. */
export type WordCheck = (args: Arguments, workspace: Workspace) => Promise<void>

/**
 * Checks the words that come from the caller; the template's own are the author's. A word is refused that fits a
 * `@deny` pattern. One that leads out of the workspace is refused where nobody is asked about the call; a command that
 * people are asked about is confined by the sandbox alone. What stands where the file says that text stands is neither.
 */
export function createWordCheck(wrapper: Wrapper, access: Access): WordCheck {
  const denied = denyList(wrapper.deny)
  const checksPaths = access === 'read' && wrapper.words !== null
  return async (args, workspace) => {
    for (const { where, text, part } of callersWords(wrapper, args)) {
      const pattern = denied(part)
      if (pattern !== undefined) {
        throw new ArgumentError(`${where} ${shown(text)} is refused: this tool does not allow ${pattern}`)
      }
      const path = checksPaths ? await leadsOutside(part, workspace) : undefined
      if (path !== undefined) {
        throw new ArgumentError(`${where} ${shown(text)} is refused: ${shown(path)} is outside the workspace`)
      }
    }
  }
}

/** A word of the command; `where` it comes from in the arguments, if it does. */
interface Word {
  readonly where?: string
  readonly text: string
}

/** The words that come from the caller, each with the part of it that is to be checked. */
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
