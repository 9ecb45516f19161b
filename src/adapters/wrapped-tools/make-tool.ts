import { checkArguments } from '../../tools/arguments.ts'
import type { ToolContext } from '../../tools/context.ts'
import { unavailable, type Tool, type WrappedCall } from '../../tools/tool.ts'
import { renamedTrouble, withTrouble } from '../../tools/result.ts'
import { toBaseArguments } from './base-arguments.ts'
import { createWordCheck } from './check-words.ts'
import type { Definition, Wrapper } from './definition.ts'
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
  const checkWords = createWordCheck(wrapper, access)
  const input = toInput(wrapper.parameters)
  const schema = toSchema(wrapper.parameters)

  async function prepare(given: unknown, context: ToolContext): Promise<WrappedCall> {
    const args = checkArguments(input, schema, given)
    const own = base.wrapsCommand ? args : toBaseArguments(args, wrapper.parameters, base)
    const call = base.wrap({ tool: id, access, words: wrapper.words, args: own })
    await checkWords(args, context.workspace)
    return call
  }

  const tool: Tool = {
    id,
    title: definition.title,
    description: definition.description,
    schema,
    access,
    base: base.id,
    asks: async (args, context) => (await prepare(args, context)).asks(context),
    run: (args, context) => withTrouble(id, async () => (await prepare(args, context)).run(context)),
  }
  return base.unavailable === undefined ? tool : unavailable(tool, base.unavailable)
}
