// What is kept for tools: of the servers that bring them, their long results, what they may do without asking. This folder must not
// know what a definition or a server's entry means.

import type { ConnectedMcp, ConnectedMcpStore, McpPin, McpPinStore } from '../../../../tools/ports/mcp.ts'
import type { Connections } from '../connection.ts'
import type { WriteQueue } from '../write-queue.ts'
import { sql } from '../sql.ts'

/** Both stores, in one write queue: a server that was removed has no pins. */
export function createMcpStores({ writeQueue }: Connections): {
  readonly pins: McpPinStore
  readonly connected: ConnectedMcpStore
} {
  const writes = writeQueue()
  return { pins: createMcpPinStore(writes), connected: createConnectedMcpStore(writes) }
}

/** What servers of tools say of them. */
function createMcpPinStore(writes: WriteQueue): McpPinStore {
  return {
    hashes: (server) =>
      writes.read((statements) =>
        statements.all<Pick<McpPin, 'tool' | 'hash'>>(
          sql`SELECT tool, hash FROM mcp_pins WHERE server = ${server} ORDER BY tool`,
        ),
      ),
    find: (server, tools) =>
      writes.read((statements) =>
        statements.all<McpPin>(sql`
          SELECT tool, hash, definition FROM mcp_pins
          WHERE server = ${server} AND tool = ANY(${tools}) ORDER BY tool`),
      ),
    async put(server, pins) {
      await writes.write(async (tx) => {
        for (const { tool, hash, definition } of pins)
          await tx.run(sql`
            INSERT INTO mcp_pins (server, tool, hash, definition) VALUES (${server}, ${tool}, ${hash}, ${definition})
            ON CONFLICT (server, tool) DO UPDATE SET hash = excluded.hash, definition = excluded.definition`)
      })
    },
    async forget(server) {
      await writes.run(sql`DELETE FROM mcp_pins WHERE server = ${server}`)
    },
  }
}

/** Servers that were connected by a command. */
function createConnectedMcpStore(writes: WriteQueue): ConnectedMcpStore {
  return {
    all: () =>
      writes.read((statements) =>
        statements.all<ConnectedMcp>(sql`SELECT name, entry, "by", at FROM mcp_servers ORDER BY name`),
      ),
    async put({ name, entry, by, at }) {
      await writes.run(sql`
        INSERT INTO mcp_servers (name, entry, "by", at) VALUES (${name}, ${entry}, ${by}, ${at})
        ON CONFLICT (name) DO UPDATE SET entry = excluded.entry, "by" = excluded."by", at = excluded.at`)
    },
    remove: (name) =>
      writes.write(async (tx) => {
        await tx.run(sql`DELETE FROM mcp_servers WHERE name = ${name}`)
        await tx.run(sql`DELETE FROM mcp_pins WHERE server = ${name}`)
      }),
  }
}
