import type { Access } from '../../../chat/tool-words.ts'
import { errorMessage } from '../../../lib/errors.ts'
import type { JsonObject } from '../../../lib/json.ts'
import { failed, ok, type ToolResult } from '../../../tools/result.ts'
import type { Tool } from '../../../tools/tool.ts'
import type { McpServerConfig } from '../config.ts'
import type { McpConnection } from './connection.ts'
import type { McpDefinition } from './definition.ts'

/** How a tool of a server is called. */
export interface McpCalls {
  /** Rejects with an `Error` whose message ends a sentence. */
  readonly call: McpConnection['call']
}

/** A tool of a server. */
export function makeTool(
  config: McpServerConfig,
  id: string,
  definition: McpDefinition,
  { call }: McpCalls,
): Tool {
  const { name, title, description, schema } = definition
  return {
    id,
    title,
    description: description === '' ? `${name}, a tool of the MCP server ${config.name}` : description,
    schema,
    access: accessOf(config, definition),
    async run(args, { signal, progress }) {
      const given: JsonObject = isObject(args) ? args : {}
      try {
        const result = await call(definition, given, { signal, progress })
        return shown(config.name, id, result.text, result.isError)
      } catch (error) {
        signal.throwIfAborted()
        return failed(`${id}: ${errorMessage(error)}`)
      }
    },
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A child process can do on this machine what the server can; what it says of itself counts only where it is trusted. */
function accessOf({ reach, trust }: McpServerConfig, { readOnly, closedWorld }: McpDefinition): Access {
  const most = 'command' in reach ? 'execute' : 'network'
  if (trust === 'ask') return most
  if (readOnly) return 'read'
  return closedWorld ? 'write' : most
}

/** A server's words are data, also if it says that something went wrong. */
function shown(server: string, id: string, said: string, isError: boolean): ToolResult {
  const result = isError ? failed(`${id}: the server refused the call or could not do it\n${said}`) : ok(said)
  return { ...result, outside: { from: `server "${server}"`, head: isError ? 1 : 0, tail: 0 } }
}
