import { argumentWords, placeholder } from '../../tools/argv.ts'
import { ArgumentError, checkArguments, shown } from '../../tools/arguments.ts'
import { unavailable, type Tool, type ToolContext, type ToolResult } from '../../tools/tool.ts'
import { renamedTrouble, withTrouble } from '../../tools/trouble.ts'
import type { Definition, Wrapper } from './definition.ts'
import { denyList, type DenyList } from './deny.ts'
import { leadsOutside } from './outside.ts'
import { toInput, toSchema } from './schema.ts'

/** The same tool under a second name, which its errors say. */
export const makeAlias = (definition: Definition, target: Tool): Tool => ({
  ...target,
  id: definition.name,
  title: definition.title || target.title,
  description: definition.description || target.description,
  aliasOf: target.id,
  run: async (args, context) => renamedTrouble(await target.run(args, context), target.id, definition.name),
})

/** A tool that others can be built on with a file of their own. */
export type Wrappable = Tool & Required<Pick<Tool, 'wrap'>>

/** A tool of its own, which calls its base with what the file says. */
export function makeWrapped(definition: Definition, wrapper: Wrapper, base: Wrappable): Tool {
  const id = definition.name
  const access = wrapper.access ?? base.access
  const denied = denyList(wrapper.deny)
  const input = toInput(wrapper.parameters)
  const schema = toSchema(wrapper.parameters)

  async function run(given: unknown, context: ToolContext): Promise<ToolResult> {
    const args = checkArguments(input, schema, given)
    const call = base.wrap({ tool: id, access, words: wrapper.words, args })
    await refuse(wordsToCheck(wrapper, args), denied, wrapper.words ? context : undefined)
    return call.run(context)
  }

  const tool: Tool = {
    id,
    title: definition.title,
    description: definition.description,
    schema,
    access,
    base: base.id,
    run: (args, context) => withTrouble(id, () => run(args, context)),
  }
  return base.unavailable === undefined ? tool : unavailable(tool, base.unavailable)
}

/** A word of the call, and what to call it in a message. */
interface Word {
  readonly where: string
  readonly text: string
}

/** The words that come from the caller; the template's own are the author's. */
function wordsToCheck(wrapper: Wrapper, args: { readonly [key: string]: unknown }): readonly Word[] {
  const names =
    wrapper.words?.flatMap((word) => placeholder(word) ?? []) ?? wrapper.parameters.map(({ name }) => name)
  return names.flatMap((name) => {
    const isList = Array.isArray(args[name])
    return argumentWords(name, args).map((text, index) => ({
      where: isList ? `${name}[${index}]` : name,
      text,
    }))
  })
}

/** Throws `ArgumentError` at the first word that is denied or leads out of the context's workspace. */
async function refuse(
  words: readonly Word[],
  denied: DenyList,
  context: ToolContext | undefined,
): Promise<void> {
  for (const { where, text } of words) {
    const pattern = denied(text)
    if (pattern !== undefined) {
      throw new ArgumentError(`${where} ${shown(text)} is refused: this tool does not allow ${pattern}`)
    }
    const path = context && (await leadsOutside(text, context.workspace))
    if (path !== undefined) {
      throw new ArgumentError(
        `${where} ${shown(text)} is refused: ${shown(path)} is outside the workspace (a pattern that only looks ` +
          'like a path can begin with a bracket: [/]etc)',
      )
    }
  }
}
