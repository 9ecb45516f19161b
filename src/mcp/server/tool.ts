import type { CallToolResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { textForModels } from '../../words/outside.ts'
import { isJsonObject, parseJson, type Json, type JsonObject, safeJson } from '../../base/json.ts'
import type { VerbOutcome, VerbUse } from './agent.ts'

export interface AgentTool<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string
  readonly title: string
  /** Short, because each prompt of the agent contains it. */
  readonly description: string
  readonly reads?: true
  readonly input: Shape
  /** The shape of the answer's data; absent if the answer is only text. */
  readonly output?: z.ZodRawShape
  /** Returns the progress to show for a line of output, if any. */
  readonly progress?: (line: string) => string | undefined
  use(input: z.output<z.ZodObject<Shape>>): VerbUse
  readonly data?: (outcome: VerbOutcome) => JsonObject
  readonly answer?: (outcome: VerbOutcome) => ToolAnswer
  /** `answer` is also used for failed commands: their output explains the failure. */
  readonly answersAlways?: true
}

export interface ToolAnswer {
  readonly text: string
  readonly data?: JsonObject | undefined
  readonly isError?: boolean
}

export function resultOf(tool: AgentTool, outcome: VerbOutcome): CallToolResult {
  const { ok, told, out } = outcome
  if (!ok && !tool.answersAlways) return refused(outcome)
  const printed = { text: out.trim(), data: tool.data?.(outcome) }
  const { text, data, isError }: ToolAnswer = tool.answer?.(outcome) ?? printed
  return {
    content: [text, told].filter((one) => one.trim() !== '').map(textPart),
    ...(data === undefined ? {} : { structuredContent: data }),
    ...(isError ? { isError } : {}),
  }
}

export const refused = ({ told }: VerbOutcome): CallToolResult => ({
  content: [textPart(told || 'it was not done')],
  isError: true,
})

const textPart = (text: string) => ({ type: 'text' as const, text })

export const jsonOf = ({ out }: VerbOutcome): Json => parseJson(out)

/** Returns the JSON object that a command printed; {} for any other value. */
export function objectOf(outcome: VerbOutcome): JsonObject {
  const value = jsonOf(outcome)
  return isJsonObject(value) ? value : {}
}

/** Returns the entries of a command that prints one per line, as a model reads them. */
export function linesOf({ out }: VerbOutcome): readonly JsonObject[] {
  const lines = out.split('\n').filter((line) => line !== '')
  return lines
    .map((line) => parseJson(line))
    .filter(isJsonObject)
    .map(entryForModels)
}

export const textOfLines = (outcome: VerbOutcome): string =>
  linesOf(outcome)
    .map((entry) => safeJson(entry))
    .join('\n')

const outsideSchema = z.looseObject({
  id: z.string(),
  text: z.string(),
  outside: z.object({ from: z.string(), head: z.number(), tail: z.number() }),
})

/** Returns an entry with marks around the text that comes from outside. */
export function entryForModels(entry: JsonObject): JsonObject {
  const { data } = outsideSchema.safeParse(entry)
  if (!data) return entry
  const { outside: _, ...rest } = entry
  return { ...rest, text: textForModels(data) }
}

export function textAt(object: JsonObject | undefined, name: string): string {
  const value = object?.[name]
  return typeof value === 'string' ? value : ''
}
