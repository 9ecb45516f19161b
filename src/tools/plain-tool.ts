import { z } from 'zod'
import { keysOf } from '../lib/keys-of.ts'
import { ACCESSES, type Access } from '../chat/tool-words.ts'
import type { ToolContext } from './context.ts'
import type { ToolResult } from './result.ts'
import type { Asked } from './tool.ts'

/** What a parameter can be, and what the tool gets for it. */
interface PlainValues {
  string: string
  number: number
  integer: number
  boolean: boolean
  'string[]': readonly string[]
  'number[]': readonly number[]
}

/** One parameter, described without zod. */
export interface PlainParameter {
  readonly type: keyof PlainValues
  /** What the model is told. */
  readonly description: string
  /** It may be left out. */
  readonly optional?: boolean
  /** For a `string`: the only values it may have. */
  readonly choices?: readonly string[]
}

/** Parameters by name. */
export type PlainParameters = { readonly [name: string]: PlainParameter }

/** What `run` gets for such parameters. */
export type PlainArguments<Parameters extends PlainParameters> = {
  readonly [Name in keyof Parameters]:
    | PlainValues[Parameters[Name]['type']]
    | (Parameters[Name] extends { readonly type: string; readonly optional?: false } ? never : undefined)
}

/** What `defineTool` is told by a caller without zod. */
export interface PlainToolSpec<Parameters extends PlainParameters> {
  readonly id: string
  /** For people; the id when absent. */
  readonly title?: string
  readonly description: string
  readonly access: Access
  readonly parameters: Parameters
  /** What is asked before it runs, where it does more than read: its name with all arguments when absent. */
  readonly asks?:
    | 'arguments'
    | ((args: PlainArguments<Parameters>, context: ToolContext) => Promise<Asked> | Asked)
  /** See `Tool.verbatim`. */
  readonly verbatim?: readonly (keyof Parameters & string)[]
  /** See `Tool.files`. */
  readonly files?: readonly (keyof Parameters & string)[]
  run(
    args: PlainArguments<Parameters>,
    context: ToolContext,
  ): Promise<ToolResult | string> | ToolResult | string
}

type PlainValue = PlainValues[keyof PlainValues]

/** The zod shape of such parameters. */
export type PlainShape = Readonly<Record<string, z.ZodType<PlainValue | undefined>>>

const TYPES: Readonly<Record<keyof PlainValues, () => z.ZodType<PlainValue>>> = {
  string: () => z.string(),
  number: () => z.number(),
  integer: () => z.int(),
  boolean: () => z.boolean(),
  'string[]': () => z.array(z.string()),
  'number[]': () => z.array(z.number()),
}

/** The zod object for parameters. */
export const inputOf = (parameters: PlainParameters): z.ZodObject<PlainShape> =>
  z.strictObject(Object.fromEntries(Object.entries(parameters).map(([name, one]) => [name, typeOf(one)])))

function typeOf({ type, optional, choices }: PlainParameter): PlainShape[string] {
  const value = choices ? z.enum([...choices]) : TYPES[type]()
  return optional ? value.optional() : value
}

/** The descriptions of parameters by their names. */
export const descriptionsOf = (parameters: PlainParameters): { readonly [name: string]: string } =>
  Object.fromEntries(Object.entries(parameters).map(([name, { description }]) => [name, description]))

type PlainTool = PlainToolSpec<PlainParameters>

/** What a function written without types takes and gives is its own word. */
export const isRun = (value: unknown): value is PlainTool['run'] => typeof value === 'function'
export const aFunction = z.custom<PlainTool['run']>(isRun, 'must be a function')

const isAsks = (value: unknown): value is NonNullable<PlainTool['asks']> =>
  value === 'arguments' || isRun(value)

const texts = z.array(z.string())
const description = z.string().refine((text) => text.trim() !== '', 'must say what it is for')

/** What every tool says of itself. */
export const toolFields = {
  /** An id as a scope, a `.tool` file and a provider can name it. */
  id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1-64 letters, digits, _ and -'),
  description,
  access: z.enum(ACCESSES),
  verbatim: texts.optional(),
  files: texts.optional(),
}

/** What a tool with plain parameters says of itself. */
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

/** What `defineTool` is told by a caller without zod. */
export const PLAIN_FORM = z.object({ ...plainFields, run: aFunction })
