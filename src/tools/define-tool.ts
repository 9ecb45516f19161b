import { z } from 'zod'
import { ACCESSES, type Access } from '../chat/tool-words.ts'
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../lib/json.ts'
import { keysOf } from '../lib/basics.ts'
import { checkArguments, problemsIn } from './arguments.ts'
import type { ToolContext } from './context.ts'
import { type ToolResult, withTrouble } from './result.ts'
import type { Asked, Tool } from './tool.ts'

/** With a zod schema. */
export type ToolSpec<Shape extends z.ZodRawShape> = ToolParts<Shape> &
  (
    | { readonly access: 'read'; readonly asks?: never }
    | { readonly access: Exclude<Access, 'read'>; readonly asks: Asks<z.output<z.ZodObject<Shape>>> }
  )

/** See `Tool.asks`; `arguments` asks for the tool's name with all arguments of the call. */
type Asks<Args> = 'arguments' | ((args: Args, context: ToolContext) => Promise<Asked> | Asked)

interface CommonParts<Name extends string, Args> {
  readonly id: string
  readonly description: string
  /** See `Tool.verbatim`. */
  readonly verbatim?: readonly Name[]
  /** See `Tool.files`. */
  readonly files?: readonly Name[]
  /** A plain text is an error if it begins with `ERROR:`. May throw what `withTrouble` knows. */
  run(args: Args, context: ToolContext): Promise<ToolResult | string> | ToolResult | string
}

interface ToolParts<Shape extends z.ZodRawShape> extends CommonParts<
  keyof Shape & string,
  z.output<z.ZodObject<Shape>>
> {
  readonly title: string
  readonly input: z.ZodObject<Shape>
  /** Text for a parameter, which wins over the one on its schema. */
  readonly parameters?: { readonly [Name in keyof Shape]?: string }
  readonly wrap?: Tool['wrap']
  readonly yields?: true
  readonly walks?: true
  readonly wrapsCommand?: boolean
}

interface PlainValues {
  string: string
  number: number
  integer: number
  boolean: boolean
  'string[]': readonly string[]
  'number[]': readonly number[]
}

export interface PlainParameter {
  readonly type: keyof PlainValues
  /** For the model. */
  readonly description: string
  readonly optional?: boolean
  /** For a `string`: the only values it may have. */
  readonly choices?: readonly string[]
}

export type PlainParameters = { readonly [name: string]: PlainParameter }

type PlainArguments<Parameters extends PlainParameters> = {
  readonly [Name in keyof Parameters]:
    | PlainValues[Parameters[Name]['type']]
    | (Parameters[Name] extends { readonly type: string; readonly optional?: false } ? never : undefined)
}

/** Without zod. */
export interface PlainToolSpec<Parameters extends PlainParameters> extends CommonParts<
  keyof Parameters & string,
  PlainArguments<Parameters>
> {
  /** For people; the id when absent. */
  readonly title?: string
  readonly access: Access
  readonly parameters: Parameters
  /** If it does more than read: `arguments` when absent. */
  readonly asks?: Asks<PlainArguments<Parameters>>
}

type PlainTool = PlainToolSpec<PlainParameters>

/**
 * Makes a tool from a zod schema, or from parameters that are described one by one. Arguments are checked
 * before `run`. Throws an `Error` that names a field of the wrong form.
 */
export function defineTool<Shape extends z.ZodRawShape>(spec: ToolSpec<Shape>): Tool
export function defineTool<const Parameters extends PlainParameters>(spec: PlainToolSpec<Parameters>): Tool
export function defineTool(spec: ToolSpec<z.ZodRawShape> | PlainTool): Tool {
  // Fields and methods that an object inherits would be lost in the tool.
  const given: unknown = typeof spec === 'object' && spec !== null ? { ...spec } : spec
  const hasInput = typeof given === 'object' && given !== null && 'input' in given
  const problems = problemsIn(hasInput ? ZOD_FORM : PLAIN_FORM, given, '')
  if (problems.length > 0) throw new Error(`defineTool: ${problems.join('; ')}`)
  return 'input' in spec ? toTool(spec) : toTool(withSchema(spec))
}

export const isRun = (value: unknown): value is PlainTool['run'] => typeof value === 'function'
export const aFunction = z.custom<PlainTool['run']>(isRun, 'must be a function')

const isAsks = (value: unknown): value is NonNullable<PlainTool['asks']> =>
  value === 'arguments' || isRun(value)

/** Of any copy of zod 4: a program may have its own. */
const isZodObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && '_zod' in value && 'shape' in value

const TYPES: Readonly<Record<keyof PlainValues, () => z.ZodType>> = {
  string: () => z.string(),
  number: () => z.number(),
  integer: () => z.int(),
  boolean: () => z.boolean(),
  'string[]': () => z.array(z.string()),
  'number[]': () => z.array(z.number()),
}

const texts = z.array(z.string())
const description = z.string().refine((text) => text.trim() !== '', 'must say what it is for')

export const toolFields = {
  /** An id as a scope, a `.tool` file and a provider can name it. */
  id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1-64 letters, digits, _ and -'),
  description,
  access: z.enum(ACCESSES),
  verbatim: texts.optional(),
  files: texts.optional(),
}

/** Without `run`. */
export const plainFields = {
  ...toolFields,
  title: z.string().optional(),
  parameters: z.record(
    z.string(),
    z.strictObject({
      type: z.enum(keysOf(TYPES)),
      description,
      optional: z.boolean().optional(),
      choices: z.array(z.string()).min(1).optional(),
    }),
  ),
  asks: z.custom<NonNullable<PlainTool['asks']>>(isAsks, "must be 'arguments' or a function").optional(),
}

const PLAIN_FORM = z.object({ ...plainFields, run: aFunction })

const ZOD_FORM = z.object({
  ...toolFields,
  title: z.string(),
  input: z.custom(isZodObject, 'must be an object of zod 4, such as z.strictObject({})'),
  parameters: z.record(z.string(), z.string().optional()).optional(),
  asks: plainFields.asks,
  run: aFunction,
})

interface CheckedSpec<Shape extends z.ZodRawShape> extends ToolParts<Shape> {
  readonly access: Access
  readonly asks?: Asks<z.output<z.ZodObject<Shape>>> | undefined
}

type PlainShape = Readonly<Record<string, z.ZodType<PlainValues[keyof PlainValues] | undefined>>>

function withSchema({ parameters, ...spec }: PlainTool): CheckedSpec<PlainShape> {
  const all = Object.entries(parameters)
  const shape = Object.fromEntries(
    all.map(([name, { type, optional, choices }]) => {
      const value = (choices ? z.enum([...choices]) : TYPES[type]()) as PlainShape[string]
      return [name, optional ? value.optional() : value]
    }),
  )
  const descriptions = Object.fromEntries(all.map(([name, one]) => [name, one.description]))
  return { title: spec.id, ...spec, input: z.strictObject(shape), parameters: descriptions }
}

function toTool<Shape extends z.ZodRawShape>(spec: CheckedSpec<Shape>): Tool {
  const { input, parameters, run, asks, ...tool } = spec
  const { $schema: _, ...whole }: JsonObject = JSON.parse(
    JSON.stringify(z.toJSONSchema(input, { io: 'input' })),
  )
  const check = (args: unknown): z.output<z.ZodObject<Shape>> => checkArguments(input, whole, args)
  return {
    ...tool,
    schema: sentSchema(whole, parameters ?? {}),
    ...asking(tool.access, check, asks),
    run: (args, context) =>
      withTrouble(spec.id, async () => {
        const result = await run(check(args), context)
        if (typeof result !== 'string') return result
        return { content: result, isError: result.startsWith('ERROR:') }
      }),
  }
}

/** Of a tool that only reads, arguments are checked before the room reads that it runs. */
function asking<Args>(
  access: Access,
  check: (args: unknown) => Args,
  asks: Asks<Args> | undefined,
): Pick<Tool, 'asks'> {
  if (typeof asks === 'function') return { asks: async (args, context) => asks(check(args), context) }
  if (access !== 'read') return {}
  return { asks: async (args) => (check(args), 'nobody') }
}

/** Not sent to models, for their tokens: a value that does not fit is answered with the bounds. */
const BOUNDS: ReadonlySet<string> = new Set([
  ...['default', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'minItems', 'maxItems'],
  'additionalProperties',
])

/** The schema for models. `descriptions` win over those in the schema. */
function sentSchema(
  schema: JsonSchema,
  descriptions: { readonly [name: string]: string | undefined },
): JsonSchema {
  const { properties } = schema
  const described = Object.entries(isJsonObject(properties) ? properties : {}).map(([name, property]) => {
    const text = descriptions[name]
    return [name, isJsonObject(property) && text ? { ...property, description: text } : property]
  })
  return withoutBounds({ ...schema, properties: Object.fromEntries(described) })
}

/** The keys of `properties` are names of parameters, which may be those of keywords. */
const withoutBounds = (schema: JsonSchema, areNames = false): JsonSchema =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => areNames || !BOUNDS.has(key))
      .map(([key, value]): [string, Json] => [
        key,
        isJsonObject(value) ? withoutBounds(value, !areNames && key === 'properties') : value,
      ]),
  )
