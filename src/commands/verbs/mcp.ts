import { Refusal } from '../../chat/errors.ts'
import { defineCommand, type Command } from '../define.ts'

/** What an agent's config names as its server: `ssh host mcp serve`. */
export const mcpCommand = (): Command =>
  defineCommand({
    name: 'mcp',
    summary: 'serve: an agent joins with your key, by MCP on standard input and output',
    room: 'none',
    arguments: [{ name: 'action', about: 'what to do with MCP', oneOf: ['serve'] }],
    example: 'serve',
    async run({ agent }) {
      if (!agent || !('serveMcp' in agent))
        throw new Refusal('an agent runs it, and not a session: ssh HOST mcp serve')
      await agent.serveMcp()
    },
  })
