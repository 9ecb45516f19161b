import type { Access } from '../../../chat/tool-words.ts'
import { errorMessage } from '../../../lib/errors.ts'
import type { JsonObject } from '../../../lib/json.ts'
import { failed, ok, type ToolResult } from '../../../tools/result.ts'
import type { Tool } from '../../../tools/tool.ts'
import { fenced } from '../../../tools/untrusted.ts'
import type { McpServerConfig } from '../config.ts'
import type { McpConnection } from './connection.ts'
import { textOf } from './content.ts'
import type { McpDefinition } from './definition.ts'

/** A tool of a server. `call` rejects with an `Error` whose message ends a sentence. */
export function makeTool(
  config: McpServerConfig,
  id: string,
  definition: McpDefinition,
  call: McpConnection['call'],
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
        return shown(config.name, id, await call(name, given, { signal, progress }))
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

/** A server's words are data, also where it says that something went wrong. */
function shown(server: string, id: string, result: Awaited<ReturnType<McpConnection['call']>>): ToolResult {
  const text = fenced(`server ${server}`, textOf(result))
  return result.isError ? failed(`${id}: the server refused the call or could not do it\n${text}`) : ok(text)
}
