import type { McpEvents } from '../../adapters/mcp/client/servers.ts'
import { SYSTEM } from '../../chat/people/names.ts'
import type { Log, RoomStore } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import type { Rooms } from '../../chat/rooms.ts'
import { counted } from '../../lib/amounts.ts'
import { resolveScope, SCOPE_KEY } from '../../prompt/scope.ts'
import { createCatalogue } from '../../toolbox/catalogue.ts'
import type { Tool } from '../../tools/tool.ts'

interface NoticesParts {
  readonly rooms: Pick<Rooms, 'inUse' | 'tellAdmins'>
  readonly store: Pick<RoomStore, 'getValue'>
  readonly disabled: () => readonly string[]
  readonly log: Log
}

type Level = 'info' | 'error'

/** Tells the rooms that use tools of a server that these are gone, back or changed. */
export function createNotices({ rooms, store, disabled, log }: NoticesParts): McpEvents {
  async function tell(server: string, tools: readonly Tool[], level: Level, text: string): Promise<Room[]> {
    const source = { group: 'mcp', name: server, tools: () => tools } as const
    const shown = createCatalogue({ sources: [source], disabled: disabled(), log })().tools
    const told = rooms.inUse().map(async (room) => {
      const scope = resolveScope(await store.getValue(room.name, SCOPE_KEY), shown)
      if (scope.visible.length === 0) return []
      await room.record({ kind: 'notice', level, author: SYSTEM, text })
      return [room]
    })
    return (await Promise.all(told)).flat()
  }

  /** Only an admin can do something about it, so all admins hear of it if none is in those rooms. */
  async function tellOfChange(server: string, tools: readonly Tool[]): Promise<void> {
    const text = `the MCP server ${server} changed ${namesOf(tools)}: withheld until an admin approves that (/mcp approve --show ${server} shows it)`
    const told = await tell(server, tools, 'error', text)
    if (!told.some((room) => room.present().some(({ admin }) => admin))) rooms.tellAdmins(text)
  }

  const inBackground = (work: Promise<unknown>): void =>
    void work.catch((error: unknown) => log.error({ error }, 'a room was not told of an MCP server'))

  return {
    left(server, tools, why) {
      const text = `the MCP server ${server} is gone (${why}), and ${counted(tools.length, 'tool')} with it; it is tried again`
      inBackground(tell(server, tools, 'error', text))
    },
    back(server, tools) {
      const text = `the MCP server ${server} is there again, with ${counted(tools.length, 'tool')}`
      inBackground(tell(server, tools, 'info', text))
    },
    changed: (server, tools) => inBackground(tellOfChange(server, tools)),
  }
}

const MAX_NAMED = 5

const namesOf = (tools: readonly Tool[]): string =>
  tools.length > MAX_NAMED ? counted(tools.length, 'tool') : tools.map(({ id }) => id).join(', ')
