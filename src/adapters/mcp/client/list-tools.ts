import type { Client } from '@modelcontextprotocol/client'
import { leftOut, listedTools, readDefinition, type LeftOut, type McpDefinition } from './definition.ts'
import { holdsMask } from './holds-mask.ts'
import { readHeaderArguments } from './revisions/header-arguments.ts'
import { MAX_PAGES, MAX_TOOLS } from './limits.ts'
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
  /** Objects of its messages in which a secret was replaced. */
  readonly masked: WeakSet<object>
}

/** It would be called by another name than its own, or with other arguments. */
const HOLDS_SECRET = 'its name or its arguments have a word in them that the server was given in secret'

/** Reads the whole list of a server, as far as it is taken. */
export async function listTools(
  client: Client,
  { timeout, withHeaders, masked }: ListOptions,
): Promise<McpList> {
  if (!client.getServerCapabilities()?.tools) return { definitions: [], leftOut: [] }
  const found = new Map<string, McpDefinition>()
  const left: LeftOut[] = []
  let more = 0
  const leave = (one: LeftOut): void => void (left.length < MAX_LEFT_OUT ? left.push(one) : more++)

  function take(value: unknown): void {
    const read = readDefinition(value)
    if ('why' in read) leave(read)
    else if (holdsMask(value, masked)) leave(leftOut(read.name, HOLDS_SECRET))
    else if (found.has(read.name)) leave(leftOut(read.name, 'another one has its name'))
    else if (found.size >= MAX_TOOLS) leave(leftOut(read.name, `a server has ${MAX_TOOLS} tools at most`))
    else {
      const marked = withHeaders ? readHeaderArguments(read.schema) : []
      if ('why' in marked) leave(leftOut(read.name, marked.why))
      else found.set(read.name, read)
    }
  }

  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const listed = await client.request({ method: unjudged('tools/list'), params }, listedTools, { timeout })
    for (const value of listed.tools) take(value)
    cursor = listed.nextCursor
    if (cursor === undefined || found.size >= MAX_TOOLS) break
  }
  if (more > 0) left.push(leftOut('', `so are ${more} more`))
  if (cursor !== undefined) left.push(leftOut('', 'its list goes on'))
  return { definitions: [...found.values()], leftOut: left }
}
