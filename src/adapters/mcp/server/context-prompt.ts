import { completable, ProtocolError, ProtocolErrorCode, type McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { contextText, contextUse } from './model-tools.ts'
import type { Agent } from './ports.ts'
import { room } from './tool.ts'
import { roomNames } from './visible-rooms.ts'

/** The prompt `room_context`: what a model of the room would read, for an agent that wants to answer there. */
export function addContextPrompt(server: McpServer, agent: Agent): void {
  // A copy of its own: the SDK writes into the schema who completes it.
  const completed = completable(room.describe('Its name'), async (begun) => await roomNames(agent, begun))
  server.registerPrompt(
    'room_context',
    {
      title: 'Room Context',
      description: 'What a model reads in a room.',
      argsSchema: z.strictObject({ room: completed }),
    },
    async ({ room: name }, { mcpReq }) => {
      const outcome = await agent.run(contextUse(name), { signal: mcpReq.signal })
      if (!outcome.ok) throw new ProtocolError(ProtocolErrorCode.InvalidParams, outcome.told)
      return { messages: [{ role: 'user', content: { type: 'text', text: contextText(outcome) } }] }
    },
  )
}
