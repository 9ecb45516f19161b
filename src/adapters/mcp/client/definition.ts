import { z } from 'zod'
import { isTooDeep } from '../../../lib/clean-json.ts'
import type { Json, JsonSchema } from '../../../lib/json.ts'
import { headOf } from '../../../lib/text/characters.ts'
import { cleanLine } from '../../../lib/text/clean-text.ts'
import { MAX_DESCRIPTION_CHARS, MAX_SCHEMA_CHARS } from './limits.ts'

/** What a server says of a tool. */
export interface McpDefinition {
  /** As the server calls it; may hold anything. */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly schema: JsonSchema
  /** What it says of itself: that it changes nothing, that it reaches no further than the server. */
  readonly readOnly: boolean
  readonly closedWorld: boolean
}

/** The rest is not looked at. A tool is known by its name, so one without any is none. */
const toolSchema = z.object({
  name: z.string().min(1).max(1_000),
  title: z.string().max(1_000).optional().catch(undefined),
  description: z.string().default(''),
  inputSchema: z.looseObject({}).default({ type: 'object' }),
  annotations: z
    .object({
      title: z.string().max(1_000).optional().catch(undefined),
      readOnlyHint: z.boolean().optional().catch(undefined),
      openWorldHint: z.boolean().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
})

/** A page of a server's list. One tool that is none must not take the others with it. Some servers list by name. */
export const listedTools = z.object({
  tools: z.union([
    z.array(z.unknown()),
    z
      .record(z.string(), z.looseObject({}))
      .transform((byName) => Object.entries(byName).map(([name, tool]) => ({ name, ...tool }))),
  ]),
  nextCursor: z.union([z.string(), z.number().transform(String)]).optional(),
})

/** Something in a server's list that is not offered. */
export interface LeftOut {
  /** As the server calls it, cleaned and cut; may be empty. */
  readonly name: string
  /** In words that end a sentence. */
  readonly why: string
}

/** Reads what a server says of a tool, or says why it cannot be one. */
export function readDefinition(value: unknown): McpDefinition | LeftOut {
  const { data, error } = toolSchema.safeParse(value)
  if (!data) return leftOut(nameIn(value), `its ${wrongIn(error)} is not as the protocol has it`)
  if (isTooDeep(data.inputSchema as Json)) return leftOut(data.name, 'its schema is nested too deep')
  if (JSON.stringify(data.inputSchema).length > MAX_SCHEMA_CHARS)
    return leftOut(data.name, `its schema has more than ${MAX_SCHEMA_CHARS} characters`)
  const { name, title, description, inputSchema, annotations } = data
  return {
    name,
    title: title ?? annotations?.title ?? name,
    description:
      description.length > MAX_DESCRIPTION_CHARS
        ? `${headOf(description, MAX_DESCRIPTION_CHARS)}… [cut here]`
        : description,
    schema: inputSchema as JsonSchema,
    readOnly: annotations?.readOnlyHint === true,
    closedWorld: annotations?.openWorldHint === false,
  }
}

/** What is not offered, for people. */
export const leftOut = (name: string, why: string): LeftOut => ({
  name: headOf(cleanLine(headOf(name, 4 * MAX_SHOWN_CHARS)), MAX_SHOWN_CHARS),
  why,
})

/** Characters of a name that are shown. */
const MAX_SHOWN_CHARS = 60

function nameIn(value: unknown): string {
  const name: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'name') : ''
  return typeof name === 'string' ? name : ''
}

const wrongIn = (error: z.ZodError): string => String(error.issues[0]?.path[0] ?? 'entry')
