import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../lib/json.ts'
import { checkArguments, problemsIn } from './arguments.ts'
import {
  aFunction,
  descriptionsOf,
  inputOf,
  PLAIN_FORM,
  plainFields,
  toolFields,
  type PlainParameters,
  type PlainShape,
  type PlainToolSpec,
} from './plain-tool.ts'
import type { Access } from '../chat/tool-words.ts'
import type { ToolContext } from './context.ts'
import { type ToolResult, withTrouble } from './result.ts'
import type { Asked, Tool } from './tool.ts'

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
  /** See `Tool.files`. */
  readonly files?: readonly (keyof Shape & string)[]
  /** A plain text is an error if it begins with `ERROR:`. May throw what `withTrouble` knows. */
  run(
    args: z.output<z.ZodObject<Shape>>,
    context: ToolContext,
  ): Promise<ToolResult | string> | ToolResult | string
  readonly wrap?: Tool['wrap']
  readonly yields?: true
  readonly walks?: true
  readonly wrapsCommand?: boolean
}

/**
 * Makes a tool from a zod schema, or from parameters that are described one by one: the JSON Schema is generated,
 * arguments are checked before `run`, and what does not fit comes back as a sentence the model can act on. Throws an
 * `Error` if a field has the wrong form: it names the field and what it must be.
 */
export function defineTool<Shape extends z.ZodRawShape>(spec: ToolSpec<Shape>): Tool
export function defineTool<const Parameters extends PlainParameters>(spec: PlainToolSpec<Parameters>): Tool
export function defineTool(spec: ToolSpec<z.ZodRawShape> | PlainToolSpec<PlainParameters>): Tool {
  // Fields and methods that an object inherits would be lost in the tool.
  const given: unknown = typeof spec === 'object' && spec !== null ? { ...spec } : spec
  const hasInput = typeof given === 'object' && given !== null && 'input' in given
  const problems = problemsIn(hasInput ? ZOD_FORM : PLAIN_FORM, given, '')
  if (problems.length > 0) throw new Error(`defineTool: ${problems.join('; ')}`)
  return 'input' in spec ? toTool(spec) : toTool(withSchema(spec))
}

/** A zod object of any copy of zod 4: a program may have its own. */
const isZodObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && '_zod' in value && 'shape' in value

/** What `defineTool` is told by a caller with zod. */
const ZOD_FORM = z.object({
  ...toolFields,
  title: z.string(),
  input: z.custom(isZodObject, 'must be an object of zod 4, such as z.strictObject({})'),
  parameters: z.record(z.string(), z.string().optional()).optional(),
  asks: plainFields.asks,
  run: aFunction,
})

/** What both ways to define a tool come to. */
interface CheckedSpec<Shape extends z.ZodRawShape> extends ToolParts<Shape> {
  readonly access: Access
  readonly asks?:
    | 'arguments'
    | ((args: z.output<z.ZodObject<Shape>>, context: ToolContext) => Promise<Asked> | Asked)
}

const withSchema = ({ parameters, ...spec }: PlainToolSpec<PlainParameters>): CheckedSpec<PlainShape> => ({
  title: spec.id,
  ...spec,
  input: inputOf(parameters),
  parameters: descriptionsOf(parameters),
})

function toTool<Shape extends z.ZodRawShape>(spec: CheckedSpec<Shape>): Tool {
  const { input, parameters, run, asks, ...tool } = spec
  const whole = toSchema(input)
  const check = (args: unknown): z.output<z.ZodObject<Shape>> => checkArguments(input, whole, args)
  return {
    ...tool,
    schema: asSent(whole, parameters ?? {}),
    ...asking(tool.access, check, asks),
    run: (args, context) =>
      withTrouble(spec.id, async () => {
        const result = await run(check(args), context)
        if (typeof result !== 'string') return result
        return { content: result, isError: result.startsWith('ERROR:') }
      }),
  }
}

/** A tool that only reads has its arguments checked before it is said to run. */
function asking<Args>(
  access: Access,
  check: (args: unknown) => Args,
  asks: 'arguments' | ((args: Args, context: ToolContext) => Promise<Asked> | Asked) | undefined,
): Pick<Tool, 'asks'> {
  if (typeof asks === 'function') return { asks: async (args, context) => asks(check(args), context) }
  if (access !== 'read') return {}
  return { asks: async (args) => (check(args), 'nobody') }
}

function toSchema(input: z.ZodObject): JsonSchema {
  const generated: JsonObject = JSON.parse(JSON.stringify(z.toJSONSchema(input, { io: 'input' })))
  const { $schema: _, ...schema } = generated
  return schema
}

/**
 * Keywords that bound a value. A model is not sent them, since each costs tokens in every request: what it must know of
 * them its description says, and a value that does not fit is answered with the bounds.
 */
const BOUNDS: ReadonlySet<string> = new Set([
  ...['default', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'minItems', 'maxItems'],
  'additionalProperties',
])

/** The schema as models are sent it. The descriptions that are given win over those in the schema. */
function asSent(
  schema: JsonSchema,
  descriptions: { readonly [name: string]: string | undefined },
): JsonSchema {
  const { properties } = schema
  const described = Object.entries(isJsonObject(properties) ? properties : {}).map(([name, property]) => {
    const description = descriptions[name]
    return [name, isJsonObject(property) && description ? { ...property, description } : property]
  })
  return withoutBounds({ ...schema, properties: Object.fromEntries(described) })
}

const withoutBounds = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !BOUNDS.has(key))
      .map(([key, value]) => [key, key === 'properties' ? eachWithoutBounds(value) : boundsTaken(value)]),
  )

/** Parameters may have the names of keywords. */
const eachWithoutBounds = (properties: Json): Json =>
  isJsonObject(properties)
    ? Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, boundsTaken(one)]))
    : properties

const boundsTaken = (value: Json): Json => (isJsonObject(value) ? withoutBounds(value) : value)
