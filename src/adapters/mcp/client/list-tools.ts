import type { Client } from '@modelcontextprotocol/client'
import { leftOut, listedTools, readDefinition, type LeftOut, type McpDefinition } from './definition.ts'
import { maskedIn } from './masked-in.ts'
import { readHeaderArguments } from './revisions/header-arguments.ts'
import { MAX_PAGES, MAX_TOOLS } from './limits.ts'
import { unjudged } from './revisions/unjudged.ts'
import type { MaskedObjects } from '../masked-messages.ts'

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
  readonly masked: MaskedObjects
  /** Where a secret comes from that stood so. */
  readonly originOf: (form: string) => string
}

/** It would be called by another name than its own, or with other arguments. */
const HOLDS_SECRET = 'its name or its arguments have a word in them that the server was given in secret'

/** Reads the whole list of a server, as far as it is taken. */
export async function listTools(
  client: Client,
  { timeout, withHeaders, masked, originOf }: ListOptions,
): Promise<McpList> {
  if (!client.getServerCapabilities()?.tools) return { definitions: [], leftOut: [] }
  const found = new Map<string, McpDefinition>()
  const left: LeftOut[] = []
  let more = 0
  const leave = (one: LeftOut): void => void (left.length < MAX_LEFT_OUT ? left.push(one) : more++)

  /** Where the secrets come from that cannot stand where they do; empty where there are none. */
  function secretsIn(tool: unknown): string {
    const forms = maskedIn(tool, masked).flatMap((one) => [...(masked.get(one) ?? [])])
    return [...new Set([...new Set(forms)].map(originOf))].join(', ')
  }

  function take(value: unknown): void {
    const read = readDefinition(value)
    const origins = 'why' in read ? '' : secretsIn(value)
    if ('why' in read) leave(read)
    else if (origins !== '') leave(leftOut(read.name, `${HOLDS_SECRET} (${origins})`))
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
