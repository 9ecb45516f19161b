import { z } from 'zod'
import { ACCESSES, isReservedToolId } from '../../chat/tool-words.ts'
import { errorMessage } from '../../lib/errors.ts'
import { defineTool } from '../../tools/define-tool.ts'
import { PLAIN_TYPES, type PlainToolSpec, type PlainParameters } from '../../tools/plain-tool.ts'
import type { Tool } from '../../tools/tool.ts'

/** The tools that a module exports, and what is wrong with others. */
export interface Exported {
  readonly tools: readonly Tool[]
  readonly problems: readonly string[]
}

type PlainTool = PlainToolSpec<PlainParameters>

/** What a function written without types takes and gives is its own word. */
const isRun = (value: unknown): value is PlainTool['run'] => typeof value === 'function'
const aFunction = z.custom<PlainTool['run']>(isRun, 'must be a function')
const anAsker = z.custom<Exclude<PlainTool['asks'], 'arguments' | undefined>>(isRun, 'must be a function')

/** An id as a scope, a `.tool` file and a provider can name it. */
const id = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1-64 letters, digits, _ and -')
  .refine((text) => !isReservedToolId(text), 'is reserved; choose another')
const description = z.string().refine((text) => text.trim() !== '', 'must say what it is for')

/** A tool that is made already, by whichever copy of `defineTool`. */
const toolSchema = z.looseObject({
  id,
  title: z.string(),
  description,
  schema: z.looseObject({ type: z.literal('object') }),
  access: z.enum(ACCESSES),
  run: aFunction,
  asks: aFunction.optional(),
  verbatim: z.array(z.string()).optional(),
})

/** What a plain function says of itself in its property `tool`. */
const plainSchema = z.strictObject({
  id,
  title: z.string().optional(),
  description,
  access: z.enum(ACCESSES),
  parameters: z
    .record(
      z.string(),
      z.strictObject({
        type: z.enum(PLAIN_TYPES),
        description,
        optional: z.boolean().optional(),
        choices: z.array(z.string()).min(1).optional(),
      }),
    )
    .default({}),
  asks: z.union([z.literal('arguments'), anAsker]).optional(),
  verbatim: z.array(z.string()).optional(),
})

/** Reads the exports of a module: tools, functions with a property `tool`, and lists of both. All else is passed over. */
export function exportedTools(exports: Readonly<Record<string, unknown>>): Exported {
  const found = new Map<unknown, string>()
  for (const [name, value] of Object.entries(exports)) {
    const list: readonly unknown[] = Array.isArray(value) ? value : [value]
    for (const one of list) if (!found.has(one)) found.set(one, name)
  }
  const read = [...found].flatMap(([value, name]) => readTool(name, value) ?? [])
  const tools = read.flatMap((one) => (typeof one === 'string' ? [] : [one]))
  const problems = read.filter((one) => typeof one === 'string')
  if (read.length > 0) return { tools, problems }
  return { tools: [], problems: ['it exports no tool: see defineTool, or give a function a property `tool`'] }
}

/** A tool, what is wrong with it, or undefined for what is none and does not want to be one. */
function readTool(name: string, value: unknown): Tool | string | undefined {
  if (isRun(value)) return 'tool' in value ? fromFunction(name, value, value.tool) : undefined
  if (typeof value !== 'object' || value === null || !('run' in value)) return undefined
  const { error } = toolSchema.safeParse(value)
  if (error) return `export ${name}: ${problemsIn(error)}`
  return isTool(value) ? value : undefined
}

const isTool = (value: unknown): value is Tool => toolSchema.safeParse(value).success

function fromFunction(name: string, run: PlainTool['run'], said: unknown): Tool | string {
  const named = typeof said === 'object' && said !== null ? { id: run.name || name, ...said } : said
  const { data, error } = plainSchema.safeParse(named)
  if (error) return `export ${name}: tool.${problemsIn(error)}`
  try {
    return defineTool({ ...data, run })
  } catch (trouble) {
    return `export ${name}: ${errorMessage(trouble)}`
  }
}

const problemsIn = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`).join('; ')
