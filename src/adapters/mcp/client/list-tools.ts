import { isDeepStrictEqual } from 'node:util'
import type { Client } from '@modelcontextprotocol/client'
import type { z } from 'zod'
import { leftOut, listedTools, readDefinition, type LeftOut, type McpDefinition } from './definition.ts'
import { readHeaderArguments } from './revisions/header-arguments.ts'
import { MAX_PAGES, MAX_TOOLS } from './limits.ts'
import { isRefusal } from './revisions/refusal.ts'
import { unjudged } from './revisions/unjudged.ts'

/** What a server lists. */
export interface McpList {
  readonly definitions: readonly McpDefinition[]
  /** What is not offered, with the reason of each; beyond a number they are not told apart. */
  readonly leftOut: readonly LeftOut[]
}

/** So many are told apart. */
const MAX_LEFT_OUT = 20

/** How the list is read. */
export interface ListOptions {
  /** For each page, in milliseconds. */
  readonly timeout: number
  /** Whether arguments are sent as headers, too, where a tool wants it so. */
  readonly withHeaders: boolean
  /** Takes secrets out of what is shown of a tool, and kept. */
  readonly redacted: (text: string) => string
}

/** A server that knows no tools has none; whether it does is often not as it says. */
async function nothingListed(error: unknown): Promise<z.output<typeof listedTools>> {
  if (await isRefusal(error, 'MethodNotFound')) return { tools: [] }
  throw error
}

/** Reads the whole list of a server, as far as it is taken. */
export async function listTools(
  client: Client,
  { timeout, withHeaders, redacted }: ListOptions,
): Promise<McpList> {
  const found = new Map<string, McpDefinition>()
  const left: LeftOut[] = []
  let more = 0
  const leave = (one: LeftOut): void => void (left.length < MAX_LEFT_OUT ? left.push(one) : more++)

  function take(value: unknown, page: number): void {
    const said = readDefinition(value)
    if ('why' in said) return leave(said)
    const read = { ...said, title: redacted(said.title), description: redacted(said.description) }
    const before = found.get(read.name)
    // Some servers answer each cursor with their first page.
    if (page > 0 && isDeepStrictEqual(before, read)) return
    if (before) return leave(leftOut(read.name, 'another one has its name'))
    if (found.size >= MAX_TOOLS) return leave(leftOut(read.name, `a server has ${MAX_TOOLS} tools at most`))
    const marked = withHeaders ? readHeaderArguments(read.schema) : []
    if ('why' in marked) leave(leftOut(read.name, marked.why))
    else found.set(read.name, read)
  }

  // One that comes again would go on for ever.
  const known = new Set<string | undefined>([''])
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const listed = await client
      .request({ method: unjudged('tools/list'), params }, listedTools, { timeout })
      .catch(nothingListed)
    for (const value of listed.tools) take(value, page)
    cursor = known.has(listed.nextCursor) ? undefined : listed.nextCursor
    known.add(cursor)
    if (cursor === undefined || found.size >= MAX_TOOLS) break
  }
  if (more > 0) left.push(leftOut('', `so are ${more} more`))
  if (cursor !== undefined) left.push(leftOut('', 'its list goes on'))
  return { definitions: [...found.values()], leftOut: left }
}
