// What is kept for tools: of the servers that bring them, their long results, what they may do without asking. This folder must not
// know what a definition or a server's entry means.

import type { ConnectedMcp, ConnectedMcpStore, McpPin, McpPinStore } from '../../../../tools/ports/mcp.ts'
import type { Connection } from '../connection.ts'

type PinRow = McpPin & { readonly server: string }

/** What servers of tools say of them. */
export function createMcpPinStore({ db, read, write }: Connection): McpPinStore {
  const hashes = db.prepare<[string], Pick<McpPin, 'tool' | 'hash'>>(
    'SELECT tool, hash FROM mcp_pins WHERE server = ? ORDER BY tool',
  )
  const find = db.prepare<[{ server: string; tools: string }], McpPin>(
    `SELECT tool, hash, definition FROM mcp_pins
     WHERE server = @server AND tool IN (SELECT value FROM json_each(@tools)) ORDER BY tool`,
  )
  const put = db.prepare<[PinRow]>(
    `INSERT INTO mcp_pins (server, tool, hash, definition) VALUES (@server, @tool, @hash, @definition)
     ON CONFLICT DO UPDATE SET hash = excluded.hash, definition = excluded.definition`,
  )
  const forget = db.prepare<[string]>('DELETE FROM mcp_pins WHERE server = ?')
  return {
    hashes: (server) => read(() => hashes.all(server)),
    find: (server, tools) => read(() => find.all({ server, tools: JSON.stringify(tools) })),
    put: (server, pins) =>
      write(() => {
        for (const pin of pins) put.run({ ...pin, server })
      }),
    forget: (server) => write(() => void forget.run(server)),
  }
}

/** Servers that were connected by a command. */
export function createConnectedMcpStore({ db, read, write }: Connection): ConnectedMcpStore {
  const all = db.prepare<[], ConnectedMcp>('SELECT name, entry, "by", at FROM mcp_servers ORDER BY name')
  const put = db.prepare<[ConnectedMcp]>(
    `INSERT INTO mcp_servers (name, entry, "by", at) VALUES (@name, @entry, @by, @at)
     ON CONFLICT DO UPDATE SET entry = excluded.entry, "by" = excluded."by", at = excluded.at`,
  )
  const remove = db.prepare<[string]>('DELETE FROM mcp_servers WHERE name = ?')
  const forget = db.prepare<[string]>('DELETE FROM mcp_pins WHERE server = ?')
  return {
    all: () => read(() => all.all()),
    put: (server) => write(() => void put.run(server)),
    remove: (name) =>
      write(() => {
        remove.run(name)
        forget.run(name)
      }),
  }
}
