import { createHash } from 'node:crypto'
import { structuredPatch } from 'diff'
import { stableJson } from '../../base/json.ts'
import type { McpPin, McpPinStore, Tool } from '../../tools/index.ts'
import type { McpServerConfig } from '../config.ts'
import { createMcpTool, type CallTool } from './tool.ts'
import { assignToolIds, type McpDefinition, type OtherNames } from './tool-list.ts'

/** Limit of pins for a server. Further tools are withheld, so a server gains nothing by inventing names. */
export const MAX_PINS = 2_000

export interface ToolDifference {
  readonly id: string
  /** False for a tool without a pin, of a server with too many tools. */
  readonly isKnown: boolean
  readonly lines: readonly string[]
}

interface PinnedToolsOptions {
  readonly store: McpPinStore
  readonly names: OtherNames
  readonly call: CallTool
}

export type PinnedTools = ReturnType<typeof createPinnedTools>

/**
 * The tools of one server. Withholds a tool if its definition differs from the one first seen or last
 * approved. Methods that return a promise reject with `StorageError`; call one at a time.
 */
export function createPinnedTools(config: McpServerConfig, { store, names, call }: PinnedToolsOptions) {
  let made: ReadonlyMap<string, Tool> = new Map()
  let listed: readonly { tool: Tool; definition: McpDefinition; isHeld: boolean }[] = []
  let offered: readonly Tool[] = []
  const announced = new Set<string>()
  const withheld = () => listed.filter(({ isHeld }) => !isHeld)

  /** Applies the server's list. Resolves to the tools that are withheld for the first time. */
  async function update(
    definitions: readonly McpDefinition[],
    isCurrent: () => boolean = () => true,
  ): Promise<readonly Tool[]> {
    const known = new Map((await store.hashes(config.name)).map(({ tool, hash }) => [tool, hash]))
    const pinned = definitions.map((definition) => ({ definition, pin: pinOf(definition) }))
    const unseen = pinned.flatMap(({ pin }) => (known.has(pin.tool) ? [] : [pin]))
    const fresh = unseen.slice(0, Math.max(0, MAX_PINS - known.size))
    if (fresh.length > 0) await store.put(config.name, fresh)
    for (const { tool, hash } of fresh) known.set(tool, hash)
    if (!isCurrent()) return []
    const ids = assignToolIds(
      config.name,
      definitions.map(({ name }) => name),
      names,
    )
    const next = new Map<string, Tool>()
    listed = pinned.map(({ definition, pin: { tool: key, hash } }) => {
      const id = ids.get(definition.name) ?? ''
      const tool = made.get(id + hash) ?? createMcpTool(config, id, definition, call)
      next.set(id + hash, tool)
      return { tool, definition, isHeld: known.get(key) === hash }
    })
    made = next
    offered = listed.flatMap(({ tool, isHeld }) => (isHeld ? [tool] : []))
    const changed = withheld().flatMap(({ tool }) => (announced.has(tool.id) ? [] : [tool]))
    for (const { id } of changed) announced.add(id)
    return changed
  }

  return {
    update,
    /** Returns the same list until it changes, with the same object for an unchanged tool. */
    offered: () => offered,
    withheld: () => withheld().map(({ tool }) => tool.id),
    /** Resolves to the differences of withheld tools. `approve` pins exactly these definitions. */
    async review(approve: boolean, isCurrent?: () => boolean): Promise<readonly ToolDifference[]> {
      const [all, now] = [listed, withheld()]
      const keys = now.map(({ definition }) => keyOf(definition.name))
      const pins = await store.find(config.name, keys)
      const before = new Map(pins.map((pin) => [pin.tool, JSON.parse(pin.definition) as McpDefinition]))
      const definitionsOf = (tools: typeof listed) => tools.map(({ definition }) => definition)
      if (approve) {
        await store.put(config.name, definitionsOf(now).map(pinOf))
        announced.clear()
        await update(definitionsOf(all), isCurrent)
      }
      return now.map(({ tool, definition }) =>
        differenceOf(tool.id, definition, before.get(keyOf(definition.name))),
      )
    },
    clear(): void {
      listed = []
      offered = []
    },
  }
}

/** JSON escapes characters that a database cannot store. */
const keyOf = (name: string): string => JSON.stringify(name)

/** The order of properties does not change the pin. */
function pinOf(given: McpDefinition): McpPin {
  const definition = stableJson({ ...given })
  return {
    tool: keyOf(given.name),
    hash: createHash('sha256').update(definition).digest('hex'),
    definition,
  }
}

/** Beyond this limit both definitions are shown in full, since the server decides the comparison's cost. */
const MAX_EDITS = 1_000

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
