import { z } from 'zod'
import { ACCESSES, type Access } from '../words/tool-words.ts'
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../base/json.ts'
import { keysOf } from '../base/basics.ts'
import { checkArguments, problemsIn } from './arguments.ts'
import type { ToolContext } from './context.ts'
import { type ToolResult, withTrouble } from './results/result.ts'
import type { Asked, Tool } from './tool.ts'

/** A tool with a zod schema. */
export type ToolSpec<Shape extends z.ZodRawShape> = ToolParts<Shape> &
  (
    | { readonly access: 'read'; readonly asks?: never }
    | { readonly access: Exclude<Access, 'read'>; readonly asks: MakeQuestion<z.output<z.ZodObject<Shape>>> }
  )

/** See `Tool.asks`; `arguments` asks with the tool's name and all arguments. */
type MakeQuestion<Args> = 'arguments' | ((args: Args, context: ToolContext) => Promise<Asked> | Asked)

interface CommonParts<Name extends string, Args> {
  readonly id: string
  readonly description: string
  /** See `Tool.verbatim`. */
  readonly verbatim?: readonly Name[]
  /** See `Tool.files`. */
  readonly files?: readonly Name[]
  /** A text that begins with `ERROR:` is an error. May throw the errors that `withTrouble` converts. */
  run(args: Args, context: ToolContext): Promise<ToolResult | string> | ToolResult | string
}

interface ToolParts<Shape extends z.ZodRawShape> extends CommonParts<
  keyof Shape & string,
  z.output<z.ZodObject<Shape>>
> {
  readonly title: string
  readonly input: z.ZodObject<Shape>
  /** Descriptions of parameters, which override those of the schema. */
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

/** A tool without zod. */
export interface PlainToolSpec<Parameters extends PlainParameters> extends CommonParts<
  keyof Parameters & string,
  PlainArguments<Parameters>
> {
  /** For people; default: the ID. */
  readonly title?: string
  readonly access: Access
  readonly parameters: Parameters
  /** Used if the tool does more than read; default: `arguments`. */
  readonly asks?: MakeQuestion<PlainArguments<Parameters>>
}

type PlainTool = PlainToolSpec<PlainParameters>

/**
 * Creates a tool from a zod schema, or from parameters described one by one. Arguments are checked before
 * `run`. Throws an `Error` that names a wrong field.
 */
export function defineTool<Shape extends z.ZodRawShape>(spec: ToolSpec<Shape>): Tool
export function defineTool<const Parameters extends PlainParameters>(spec: PlainToolSpec<Parameters>): Tool
export function defineTool(spec: ToolSpec<z.ZodRawShape> | PlainTool): Tool {
  // Inherited fields and methods would be lost in the tool.
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

/** Accepts any copy of zod 4, because a program may have its own. */
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
  /** An ID that scopes, `.tool` files and providers accept. */
  id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1-64 letters, digits, _ and -'),
  description,
  access: z.enum(ACCESSES),
  verbatim: texts.optional(),
  files: texts.optional(),
}

/** All fields except `run`. */
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
  readonly asks?: MakeQuestion<z.output<z.ZodObject<Shape>>> | undefined
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

/** Also for a read-only tool: arguments are checked before the room is told that it runs. */
function asking<Args>(
  access: Access,
  check: (args: unknown) => Args,
  asks: MakeQuestion<Args> | undefined,
): Pick<Tool, 'asks'> {
  if (typeof asks === 'function') return { asks: async (args, context) => asks(check(args), context) }
  if (access !== 'read') return {}
  return { asks: async (args) => (check(args), 'nobody') }
}

/** Keywords that are not sent to models, to save tokens: the error for a wrong value names the bounds. */
const BOUNDS: ReadonlySet<string> = new Set([
  ...['default', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'minItems', 'maxItems'],
  'additionalProperties',
])

/** Returns the schema for models. `descriptions` override those in the schema. */
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

/** In `properties` keys are parameter names, which may equal keywords. */
const withoutBounds = (schema: JsonSchema, areNames = false): JsonSchema =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => areNames || !BOUNDS.has(key))
      .map(([key, value]): [string, Json] => [
        key,
        isJsonObject(value) ? withoutBounds(value, !areNames && key === 'properties') : value,
      ]),
  )
