import { ProtocolError, ProtocolErrorCode, type McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { contextText, contextUse } from './model-tools.ts'
import type { Agent } from './ports.ts'
import { room } from './tool.ts'

/** The prompt `room_context`: what a model of the room would read, for an agent that wants to answer there. */
export function addContextPrompt(server: McpServer, agent: Agent): void {
  server.registerPrompt(
    'room_context',
    {
      title: 'Room Context',
      description: 'What a model reads in a room.',
      argsSchema: z.strictObject({ room }),
    },
    async ({ room: name }, { mcpReq }) => {
      const outcome = await agent.run(contextUse(name), { signal: mcpReq.signal })
      if (!outcome.ok) throw new ProtocolError(ProtocolErrorCode.InvalidParams, outcome.told)
      return { messages: [{ role: 'user', content: { type: 'text', text: contextText(outcome) } }] }
    },
  )
}
