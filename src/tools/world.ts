import { z } from 'zod'
import type { Chat } from '../chat/chat.ts'
import { Refusal } from '../chat/errors.ts'
import type { Room } from '../chat/room.ts'
import { failed, type ToolContext, type ToolResult } from './tool.ts'

/** What the tools of the world are made from. */
export interface WorldParts {
  readonly chat: Chat
  /** The models that can be mentioned; nobody when absent. */
  readonly models?: { names(): readonly string[] }
  /** How long one message may be. */
  readonly speech?: { readonly chars: number; readonly lines: number }
}

/** A room parameter; absent means the room that the call came from. */
export const roomParameter = z.string().max(32).optional()

/** Text for `roomParameter`. */
export const roomParameterText = 'Name of another room; the room you are in when absent.'

/**
 * Runs a tool in a room as the requester may see it: a room that is not for them is refused in the same
 * words as one that does not exist.
 */
export async function inRoom(
  tool: string,
  { chat }: WorldParts,
  context: ToolContext,
  name: string | undefined,
  run: (room: Room) => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    return await run(await chat.room(name ?? context.room, context.requester.person))
  } catch (error) {
    if (error instanceof Refusal) return failed(`${tool}: ${error.message}`)
    throw error
  }
}
