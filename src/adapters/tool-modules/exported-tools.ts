import { z } from 'zod'
import { isReservedToolId } from '../../chat/tool-words.ts'
import { errorMessage } from '../../lib/errors.ts'
import { defineTool, aFunction, isRun, plainFields, toolFields } from '../../tools/define-tool.ts'
import type { Tool } from '../../tools/tool.ts'

/** The tools that a module exports, and what is wrong with others. */
export interface Exported {
  readonly tools: readonly Tool[]
  readonly problems: readonly string[]
}

const id = toolFields.id.refine((text) => !isReservedToolId(text), 'is reserved; choose another')

/** A tool that is made already, by whichever copy of `defineTool`. */
const toolSchema = z.looseObject({
  ...toolFields,
  id,
  title: z.string(),
  schema: z.looseObject({ type: z.literal('object') }),
  run: aFunction,
  asks: aFunction.optional(),
})

/** What a plain function says of itself in its property `tool`. */
const plainSchema = z.strictObject({ ...plainFields, id, parameters: plainFields.parameters.default({}) })

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

function fromFunction(name: string, run: z.output<typeof aFunction>, said: unknown): Tool | string {
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
