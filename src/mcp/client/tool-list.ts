import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { isReservedToolId } from '../../words/tool-words.ts'
import { isTooDeep, type Json, type JsonSchema } from '../../base/json.ts'
import { countedAre } from '../../base/amounts.ts'
import { shortHash } from '../../base/basics.ts'
import { headOf } from '../../base/text/characters.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import { RAW } from './message-reader.ts'

export interface McpDefinition {
  /** The server's own name for the tool; may contain anything. */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly schema: JsonSchema
  /** The server claims that the tool changes nothing. */
  readonly readOnly: boolean
  /** The server claims that the tool reaches only the server. */
  readonly closedWorld: boolean
}

export interface SkippedTool {
  /** The server's name for the tool, sanitized and shortened; may be empty. */
  readonly name: string
  /** The reason, in words that end a sentence. */
  readonly why: string
}

export interface McpList {
  readonly definitions: readonly McpDefinition[]
  /** At most 22 entries; the last ones count the rest. */
  readonly leftOut: readonly SkippedTool[]
}

const MAX_TOOLS = 1_000
const MAX_PAGES = 100
const MAX_LEFT_OUT = 20
const [MAX_SCHEMA_CHARS, MAX_DESCRIPTION_CHARS, MAX_SHOWN_CHARS] = [100_000, 4_000, 60]

const byName = z
  .record(z.string(), z.looseObject({}))
  .transform((all) => Object.entries(all).map(([name, tool]) => ({ name, ...tool })))

/** Also accepts an object of tools by name, and a bare list, because some servers send these. */
export const toolPage = z
  .object({
    [RAW]: z.preprocess(
      (raw) => (Array.isArray(raw) ? { tools: raw } : raw),
      z.object({
        tools: z.union([z.array(z.unknown()), byName]),
        nextCursor: z.union([z.string(), z.number().transform(String)]).optional(),
      }),
    ),
  })
  .transform(({ [RAW]: page }) => page)

interface ReadOptions {
  /** Marked arguments are also sent as headers, so a tool with invalid marks is unusable. */
  readonly withHeaders: boolean
  redacted(text: string): string
}

export async function readToolList(
  readPage: (params: { cursor?: string }) => Promise<z.output<typeof toolPage>>,
  { withHeaders, redacted }: ReadOptions,
): Promise<McpList> {
  const found = new Map<string, McpDefinition>()
  const skipped: SkippedTool[] = []
  let more = 0
  const skipOne = (one: SkippedTool): void =>
    void (skipped.length < MAX_LEFT_OUT ? skipped.push(one) : more++)
  const skip = (name: string, why: string): void => skipOne(skippedTool(name, why))

  function take(value: unknown, page: number): void {
    const read = readDefinition(value)
    if ('why' in read) return skipOne(read)
    const { name } = read
    const tool = { ...read, title: redacted(read.title), description: redacted(read.description) }
    const before = found.get(name)
    // Some servers answer each cursor with their first page.
    if (page > 0 && isDeepStrictEqual(before, tool)) return
    if (before) skip(name, 'another tool has this name')
    else if (found.size >= MAX_TOOLS) skip(name, `a server has ${MAX_TOOLS} tools at most`)
    else if (withHeaders && hasWrongMarks(tool.schema)) skip(name, `its schema has a wrong ${MARK}`)
    else found.set(name, tool)
  }

  // A repeated cursor would never end.
  const known = new Set<string | undefined>([''])
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const { tools, nextCursor } = await readPage(cursor === undefined ? {} : { cursor })
    for (const value of tools) take(value, page)
    cursor = known.has(nextCursor) ? undefined : nextCursor
    known.add(cursor)
    if (cursor === undefined || found.size >= MAX_TOOLS) break
  }
  if (more > 0) skipped.push(skippedTool('', `${countedAre(more, 'more tool')} left out`))
  if (cursor !== undefined) skipped.push(skippedTool('', 'the rest of its list was not read'))
  return { definitions: [...found.values()], leftOut: skipped }
}

const skippedTool = (name: string, why: string): SkippedTool => ({
  name: headOf(cleanLine(headOf(name, 4 * MAX_SHOWN_CHARS)), MAX_SHOWN_CHARS),
  why,
})

const hint = z.boolean().optional().catch(undefined)
const title = z.string().max(1_000).optional().catch(undefined)
const annotations = z.object({ title, readOnlyHint: hint, openWorldHint: hint }).optional().catch(undefined)
/** Some servers send the schema as JSON text. */
const inputSchema = z.preprocess(
  (value) => {
    try {
      return typeof value === 'string' ? JSON.parse(value) : value
    } catch {
      return value
    }
  },
  z.looseObject({}).default({ type: 'object' }),
)
const toolSchema = z.object({
  name: z.string().min(1).max(1_000),
  title,
  description: z.string().default(''),
  inputSchema,
  annotations,
})

function readDefinition(value: unknown): McpDefinition | SkippedTool {
  const { data, error } = toolSchema.safeParse(value)
  if (!data) {
    const name: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'name') : ''
    const part = String(error.issues[0]?.path[0] ?? 'entry')
    return skippedTool(typeof name === 'string' ? name : '', `its ${part} is not as the protocol has it`)
  }
  const { name, description, inputSchema } = data
  if (isTooDeep(inputSchema as Json)) return skippedTool(name, 'its schema is nested too deep')
  if (JSON.stringify(inputSchema).length > MAX_SCHEMA_CHARS)
    return skippedTool(name, `its schema has more than ${MAX_SCHEMA_CHARS} characters`)
  const isLong = description.length > MAX_DESCRIPTION_CHARS
  return {
    name,
    title: data.title ?? data.annotations?.title ?? name,
    description: isLong ? `${headOf(description, MAX_DESCRIPTION_CHARS)}… [cut here]` : description,
    schema: inputSchema as JsonSchema,
    readOnly: data.annotations?.readOnlyHint === true,
    closedWorld: data.annotations?.openWorldHint === false,
  }
}

const MARK = 'x-mcp-header'
const TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/
const MARKED_TYPES: readonly unknown[] = ['string', 'integer', 'boolean']
/** Keywords whose values are not schemas. */
const VALUES: readonly string[] = ['const', 'default', 'enum', 'examples']

/**
 * True if `x-mcp-header` marks break the rules of revision 2026-07-28 (Streamable HTTP, "Custom Headers from
 * Tool Parameters"). The schema's depth is limited.
 */
export function hasWrongMarks(schema: JsonSchema): boolean {
  const names = new Set<string>()
  function isWrong(value: unknown, place: 'top' | 'argument' | 'elsewhere'): boolean {
    if (typeof value !== 'object' || value === null) return false
    const { [MARK]: name, type, properties }: Readonly<Record<string, unknown>> = { ...value }
    if (MARK in value) {
      if (place !== 'argument' || typeof name !== 'string' || !TOKEN.test(name)) return true
      if (!MARKED_TYPES.includes(type) || names.has(name.toLowerCase())) return true
      names.add(name.toLowerCase())
    }
    const inside = place === 'elsewhere' ? place : 'argument'
    const others = Object.entries(value).filter(([key]) => key !== 'properties' && !VALUES.includes(key))
    return (
      others.some(([, child]) => isWrong(child, 'elsewhere')) ||
      Object.values(properties ?? {}).some((child) => isWrong(child, inside))
    )
  }
  return isWrong(schema, 'top')
}

const MAX_ID_CHARS = 64

export interface OtherNames {
  readonly servers: readonly string[]
  /** True if another source has a tool with this ID, ignoring case. */
  isTaken(id: string): boolean
}

/**
 * Maps a server's tool names to IDs: SERVER_tool, with `_` for other characters. A hash of the name is added
 * if the ID was changed, is too long, is ambiguous, or begins with another server's name: `two_x` of `holler`
 * would be `x` of `holler_two`. So an ID does not depend on other servers' tools.
 */
export function assignToolIds(
  server: string,
  names: readonly string[],
  { servers, isTaken }: OtherNames,
): ReadonlyMap<string, string> {
  const plain = new Map(names.map((name) => [name, `${server}_${name.replace(/[^A-Za-z0-9_-]/gu, '_')}`]))
  const uses = new Map<string, number>()
  for (const id of plain.values()) uses.set(id.toLowerCase(), (uses.get(id.toLowerCase()) ?? 0) + 1)
  const isClear = (name: string, id: string): boolean =>
    id === `${server}_${name}` &&
    id.length <= MAX_ID_CHARS &&
    uses.get(id.toLowerCase()) === 1 &&
    !isReservedToolId(id) &&
    !isTaken(id) &&
    !servers.some((other) => other.length > server.length && `${id}_`.startsWith(`${other}_`))
  const hashed = (name: string, id: string): string => {
    // IDs that begin with `sshawl_` belong to the tools of rooms.
    const mine = id.toLowerCase().startsWith('sshawl_') ? `mcp_${id}` : id
    return `${mine.slice(0, MAX_ID_CHARS - 9)}_${shortHash(`${server} ${name}`)}`
  }
  return new Map([...plain].map(([name, id]) => [name, isClear(name, id) ? id : hashed(name, id)]))
}
