import { createHash } from 'node:crypto'
import { structuredPatch } from 'diff'
import { stableJson } from '../../../lib/json.ts'
import type { McpPin, McpPinStore } from '../../../tools/ports/mcp.ts'
import type { Tool } from '../../../tools/tool.ts'
import type { McpServerConfig } from '../config.ts'
import type { McpConnection } from './connection.ts'
import { createMcpTool } from './tool.ts'
import { assignToolIds, type McpDefinition, type OtherNames } from './tool-list.ts'

/** Definitions of one server that are kept. Further ones are withheld, so inventing names gets a server no further. */
export const MAX_PINS = 2_000

/** A withheld tool, and how it differs from its pinned definition. */
export interface ToolDifference {
  readonly id: string
  /** False for a tool that was never seen, of a server with too many. */
  readonly isKnown: boolean
  /** For people: lines that begin with `-`, `+` or a blank. */
  readonly lines: readonly string[]
}

interface ListedTool {
  readonly tool: Tool
  readonly definition: McpDefinition
}

/**
 * The tools of one server. A definition is pinned as it was first seen, until an admin approves another one; a tool whose
 * definition differs is withheld. Methods that return a promise reject with `StorageError`; call one at a time.
 */
export class PinnedTools {
  private readonly config: McpServerConfig
  private readonly store: McpPinStore
  private readonly names: OtherNames
  private readonly call: McpConnection['call']
  private made: ReadonlyMap<string, Tool> = new Map()
  private listed: readonly ListedTool[] = []
  private withheldTools: readonly ListedTool[] = []
  private offeredTools: readonly Tool[] = []
  private readonly announced = new Set<string>()

  constructor(config: McpServerConfig, store: McpPinStore, names: OtherNames, call: McpConnection['call']) {
    this.config = config
    this.store = store
    this.names = names
    this.call = call
  }

  /** The same list until it changes, with the same object for a tool that did not. */
  offered(): readonly Tool[] {
    return this.offeredTools
  }

  withheld(): readonly Tool[] {
    return this.withheldTools.map(({ tool }) => tool)
  }

  /** The server lists these now. Returns the tools that are withheld from now on. Does nothing if `isCurrent` is false then. */
  async update(
    definitions: readonly McpDefinition[],
    isCurrent: () => boolean = () => true,
  ): Promise<readonly Tool[]> {
    const { config, store } = this
    const known = new Map((await store.hashes(config.name)).map(({ tool, hash }) => [tool, hash]))
    const pins = definitions.map(pinOf)
    const room = Math.max(0, MAX_PINS - known.size)
    const fresh = pins.filter(({ tool }) => !known.has(tool)).slice(0, room)
    if (fresh.length > 0) await store.put(config.name, fresh)
    for (const { tool, hash } of fresh) known.set(tool, hash)
    if (!isCurrent()) return []
    const held = new Set(definitions.filter((_, at) => known.get(pins[at]!.tool) === pins[at]!.hash))
    this.listed = this.toolsOf(definitions)
    this.withheldTools = this.listed.filter(({ definition }) => !held.has(definition))
    this.offeredTools = this.listed.flatMap(({ definition, tool }) => (held.has(definition) ? [tool] : []))
    const changed = this.withheld().filter(({ id }) => !this.announced.has(id))
    for (const { id } of changed) this.announced.add(id)
    return changed
  }

  /** Returns how the withheld tools differ; with `approve`, just these definitions are pinned. */
  async review(approve: boolean, isCurrent: () => boolean): Promise<readonly ToolDifference[]> {
    const withheld = this.withheldTools
    const keys = withheld.map(({ definition }) => keyOf(definition.name))
    const pins = await this.store.find(this.config.name, keys)
    const before = new Map(pins.map((pin) => [pin.tool, JSON.parse(pin.definition) as McpDefinition]))
    if (approve) {
      await this.store.put(
        this.config.name,
        withheld.map(({ definition }) => pinOf(definition)),
      )
      this.announced.clear()
      await this.update(
        this.listed.map(({ definition }) => definition),
        isCurrent,
      )
    }
    return withheld.map(({ tool, definition }, at) =>
      differenceOf(tool.id, definition, before.get(keys[at] ?? '')),
    )
  }

  /** The server is gone. */
  clear(): void {
    this.listed = this.withheldTools = this.offeredTools = []
  }

  private toolsOf(definitions: readonly McpDefinition[]): readonly ListedTool[] {
    const { config, names, made, call } = this
    const ids = assignToolIds(
      config.name,
      definitions.map(({ name }) => name),
      names,
    )
    const next = new Map<string, Tool>()
    const listed = definitions.map((definition) => {
      const id = ids.get(definition.name) ?? ''
      const key = JSON.stringify([id, definition])
      const tool = made.get(key) ?? createMcpTool(config, id, definition, call)
      next.set(key, tool)
      return { tool, definition }
    })
    this.made = next
    return listed
  }
}

/** Names may hold what a database cannot. */
const keyOf = (name: string): string => JSON.stringify(name)

/** Properties in another order make no difference. */
function pinOf(given: McpDefinition): McpPin {
  const definition = stableJson({ ...given })
  return {
    tool: keyOf(given.name),
    hash: createHash('sha256').update(definition).digest('hex'),
    definition,
  }
}

/** More changed lines than this are shown as a whole: the server chose how long a comparison takes. */
const MAX_EDITS = 1_000

/** How a definition differs from the pinned one, if there is any. */
export function differenceOf(id: string, now: McpDefinition, before?: McpDefinition): ToolDifference {
  const [old, fresh] = [before ? readable(before) : '', readable(now)]
  const options = { context: 2, maxEditLength: MAX_EDITS }
  const patch = structuredPatch('', '', old, fresh, undefined, undefined, options)
  const marked = (mark: string, text: string): string[] => text.split('\n').map((line) => `${mark}${line}`)
  const lines = patch
    ? patch.hunks.flatMap((hunk, at) => (at === 0 ? hunk.lines : ['  …', ...hunk.lines]))
    : [...marked('-', old), ...marked('+', fresh)]
  return { id, isKnown: before !== undefined, lines }
}

/** All that is pinned, a property a line. */
function readable({ title, description, readOnly, closedWorld, schema }: McpDefinition): string {
  const indented = (text: string): string => text.replaceAll(/^/gm, '  ')
  const yes = (is: boolean): string => (is ? 'yes' : 'no')
  return `${[
    `title: ${title}`,
    'description:',
    indented(description),
    `says that it only reads: ${yes(readOnly)}`,
    `says that it reaches nothing outside: ${yes(closedWorld)}`,
    'schema:',
    indented(JSON.stringify(JSON.parse(stableJson(schema)), undefined, 2)),
  ].join('\n')}\n`
}
