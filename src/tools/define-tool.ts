import { z } from 'zod'
import { isJsonObject, type JsonObject, type JsonSchema } from '../lib/json.ts'
import { checkArguments } from './arguments.ts'
import type { Access, Asked, Tool, ToolContext, ToolResult } from './tool.ts'
import { withTrouble } from './trouble.ts'

/** What `defineTool` is told. */
export type ToolSpec<Shape extends z.ZodRawShape> = ToolParts<Shape> & Asking<z.output<z.ZodObject<Shape>>>

/**
 * A tool that only reads asks nobody. Every other one says what is asked before it runs: `arguments`, for its name with all
 * of the call's arguments, or a function for the path, the address or the command. See `Tool.asks`.
 */
type Asking<Args> =
  | { readonly access: 'read'; readonly asks?: never }
  | {
      readonly access: Exclude<Access, 'read'>
      readonly asks: 'arguments' | ((args: Args, context: ToolContext) => Promise<Asked> | Asked)
    }

interface ToolParts<Shape extends z.ZodRawShape> {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject<Shape>
  /** Text for a parameter, which wins over the one on its schema. */
  readonly parameters?: { readonly [Name in keyof Shape]?: string }
  /** See `Tool.verbatim`. */
  readonly verbatim?: readonly (keyof Shape & string)[]
  /** A plain text is an error if it begins with `ERROR:`. May throw what `withTrouble` knows. */
  run(args: z.output<z.ZodObject<Shape>>, context: ToolContext): Promise<ToolResult | string>
  readonly wrap?: Tool['wrap']
  readonly yields?: true
  readonly wrapsCommand?: boolean
}

/**
 * Makes a tool from a zod schema: the JSON Schema is generated, arguments are checked before `run`,
 * and what does not fit comes back as a sentence the model can act on.
 */
export function defineTool<Shape extends z.ZodRawShape>(spec: ToolSpec<Shape>): Tool {
  const { input, parameters, run, asks, ...tool } = spec
  const schema = toSchema(input, parameters ?? {})
  const check = (args: unknown): z.output<z.ZodObject<Shape>> => checkArguments(input, schema, args)
  return {
    ...tool,
    schema,
    ...(typeof asks === 'function' ? { asks: async (args, context) => asks(check(args), context) } : {}),
    run: (args, context) =>
      withTrouble(spec.id, async () => {
        const result = await run(check(args), context)
        if (typeof result !== 'string') return result
        return { content: result, isError: result.startsWith('ERROR:') }
      }),
  }
}

function toSchema(
  input: z.ZodObject,
  parameters: { readonly [name: string]: string | undefined },
): JsonSchema {
  const generated: JsonObject = JSON.parse(JSON.stringify(z.toJSONSchema(input, { io: 'input' })))
  const { $schema: _, ...schema } = generated
  const { properties } = schema
  const described = Object.entries(isJsonObject(properties) ? properties : {}).map(([name, property]) => {
    const description = parameters[name]
    return [name, isJsonObject(property) && description ? { ...property, description } : property]
  })
  return { ...schema, properties: Object.fromEntries(described) }
}
