import { createHash } from 'node:crypto'
import { stableJson } from '../../../lib/json.ts'
import type { McpPin, McpPinStore } from '../../../tools/ports/mcp.ts'
import type { McpDefinition } from './definition.ts'
import { MAX_PINS } from './limits.ts'

/** What a server lists now, with the definitions that differ from those that hold, or are too many. */
export interface Sifted {
  /** All, in the order of the server. */
  readonly listed: readonly McpDefinition[]
  readonly withheld: ReadonlySet<McpDefinition>
}

/** What the definitions of one server may be: each holds as it was first seen, until an admin approves another one. */
export interface Pins {
  /** What was never seen holds from now on. Rejects with `StorageError`. */
  sift(listed: readonly McpDefinition[]): Promise<Sifted>
  /** The definitions that hold in place of these, by the tool's name. Rejects with `StorageError`. */
  holding(definitions: readonly McpDefinition[]): Promise<ReadonlyMap<string, McpDefinition>>
  /** From now on these hold. Rejects with `StorageError`. */
  approve(definitions: readonly McpDefinition[]): Promise<void>
}

export function createPins(server: string, store: McpPinStore): Pins {
  return {
    async sift(listed) {
      const known = new Map((await store.hashes(server)).map(({ tool, hash }) => [tool, hash]))
      const pinned = listed.map((definition) => ({ definition, pin: pinOf(definition) }))
      const unseen = pinned.filter(({ pin }) => !known.has(pin.tool))
      const fresh = unseen.slice(0, Math.max(0, MAX_PINS - known.size)).map(({ pin }) => pin)
      if (fresh.length > 0) await store.put(server, fresh)
      for (const { tool, hash } of fresh) known.set(tool, hash)
      const withheld = pinned.filter(({ pin }) => known.get(pin.tool) !== pin.hash)
      return { listed, withheld: new Set(withheld.map(({ definition }) => definition)) }
    },
    async holding(definitions) {
      const pins = await store.find(
        server,
        definitions.map(({ name }) => keyOf(name)),
      )
      return new Map(
        pins.map(({ definition }) => {
          const read: McpDefinition = JSON.parse(definition)
          return [read.name, read]
        }),
      )
    },
    approve: (definitions) => store.put(server, definitions.map(pinOf)),
  }
}

/** Names may hold what a database cannot. */
const keyOf = (name: string): string => JSON.stringify(name)

/** Whether the server sends properties in another order makes no difference. */
function pinOf(given: McpDefinition): McpPin {
  const definition = stableJson({ ...given })
  return {
    tool: keyOf(given.name),
    hash: createHash('sha256').update(definition).digest('hex'),
    definition,
  }
}
