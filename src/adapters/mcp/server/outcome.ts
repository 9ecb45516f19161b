import type { CallToolResult } from '@modelcontextprotocol/server'
import { isJsonObject, parseJson, type Json, type JsonObject } from '../../../lib/json.ts'
import type { VerbOutcome } from './ports.ts'

/** What a tool answers: text for a model, and the same as data for a program. */
export interface ToolAnswer {
  readonly text: string
  readonly data?: JsonObject
  /** It was done, and what came of it is an error. */
  readonly isError?: boolean
}

/** The answer as MCP has it. What is to be known besides comes last. */
export function toResult(
  { text, data, isError }: ToolAnswer,
  { told }: Pick<VerbOutcome, 'told'>,
): CallToolResult {
  const texts = [text, told].filter((one) => one.trim() !== '')
  return {
    content: texts.map((one) => ({ type: 'text', text: one })),
    ...(data === undefined ? {} : { structuredContent: data }),
    ...(isError ? { isError } : {}),
  }
}

/** A command that was refused: the agent reads why. */
export const refused = ({ told }: VerbOutcome): CallToolResult => ({
  content: [{ type: 'text', text: told === '' ? 'it was not done' : told }],
  isError: true,
})

/** The one JSON value that a command printed. */
export const jsonOf = ({ out }: VerbOutcome): Json => parseJson(out)

/** The objects of a command that prints one on each line. */
export const linesOf = ({ out }: VerbOutcome): readonly JsonObject[] =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line))
    .filter(isJsonObject)

/** One JSON object as it was printed; empty for anything else. */
export function objectOf(outcome: VerbOutcome): JsonObject {
  const value = jsonOf(outcome)
  return isJsonObject(value) ? value : {}
}

/** A text of an object, empty where it has none. */
export function textAt(object: JsonObject | undefined, name: string): string {
  const value = object?.[name]
  return typeof value === 'string' ? value : ''
}
