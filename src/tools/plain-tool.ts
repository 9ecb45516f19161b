import { z } from 'zod'
import { keysOf } from '../lib/keys-of.ts'
import type { Access } from '../chat/tool-words.ts'
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

/** The names of all types. */
export const PLAIN_TYPES = keysOf(TYPES)

/** The zod object for parameters. Throws an `Error` that names one whose type there is not. */
export const inputOf = (parameters: PlainParameters): z.ZodObject<PlainShape> =>
  z.strictObject(
    Object.fromEntries(Object.entries(parameters).map(([name, one]) => [name, typeOf(name, one)])),
  )

function typeOf(name: string, { type, optional, choices }: PlainParameter): PlainShape[string] {
  if (!Object.hasOwn(TYPES, type))
    throw new Error(`parameter ${name}: there is no type ${type}; there are ${PLAIN_TYPES.join(', ')}`)
  const value = choices ? z.enum([...choices]) : TYPES[type]()
  return optional ? value.optional() : value
}

/** The descriptions of parameters by their names. */
export const descriptionsOf = (parameters: PlainParameters): { readonly [name: string]: string } =>
  Object.fromEntries(Object.entries(parameters).map(([name, { description }]) => [name, description]))
