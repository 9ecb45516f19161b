import type { McpEvents } from '../../adapters/mcp/client/server.ts'
import { SYSTEM } from '../../chat/people/names.ts'
import type { Log, RoomStore } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import type { Everywhere } from '../../chat/rooms.ts'
import { counted } from '../../lib/plural.ts'
import { resolveScope, SCOPE_KEY } from '../../prompt/scope.ts'
import type { CatalogueTool } from '../../prompt/snapshot.ts'
import { createCatalogue } from '../../toolbox/catalogue.ts'
import type { Tool } from '../../tools/tool.ts'

interface TellRoomsParts {
  readonly rooms: Pick<Everywhere, 'inUse' | 'tellAdmins'>
  readonly store: Pick<RoomStore, 'getValue'>
  /** Ids that the config disables. */
  readonly disabled: () => readonly string[]
  readonly log: Log
}

/** Tells the rooms whose scope has tools of a server, where anybody is, that these left, and that they are there again. */
export function createTellRooms({ rooms, store, disabled, log }: TellRoomsParts): McpEvents {
  async function tell(
    server: string,
    tools: readonly Tool[],
    level: 'info' | 'error',
    text: string,
  ): Promise<readonly Room[]> {
    const source = { group: 'mcp', name: server, tools: () => tools } as const
    const shown = createCatalogue({ sources: [source], disabled: disabled(), log })().tools
    const told = await Promise.all(
      rooms.inUse().map(async (room) => {
        if (!(await uses(room, shown))) return []
        await room.record({ kind: 'notice', level, author: SYSTEM, text })
        return [room]
      }),
    )
    return told.flat()
  }

  /** An admin hears of it, too, if there is one: nobody else can do anything about it. */
  async function tellOfChange(server: string, tools: readonly Tool[]): Promise<void> {
    const text = `the MCP server ${server} changed ${namesOf(tools)}: withheld until an admin approves that (/mcp approve --show ${server} shows it)`
    const told = await tell(server, tools, 'error', text)
    if (!told.some((room) => room.present().some(({ admin }) => admin))) rooms.tellAdmins(text)
  }

  const uses = async (room: Room, tools: readonly CatalogueTool[]): Promise<boolean> =>
    resolveScope(await store.getValue(room.name, SCOPE_KEY), tools).visible.length > 0

  const inBackground = (work: Promise<unknown>): void =>
    void work.catch((error: unknown) => log.error({ error }, 'a room was not told of an MCP server'))

  return {
    left: (server, tools, why) =>
      inBackground(
        tell(
          server,
          tools,
          'error',
          `the MCP server ${server} is gone (${why}), and ${counted(tools.length, 'tool')} with it; it is tried again`,
        ),
      ),
    back: (server, tools) =>
      inBackground(
        tell(
          server,
          tools,
          'info',
          `the MCP server ${server} is there again, with ${counted(tools.length, 'tool')}`,
        ),
      ),
    changed: (server, tools) => inBackground(tellOfChange(server, tools)),
  }
}

/** So many tools are named. */
const MAX_NAMED = 5

const namesOf = (tools: readonly Tool[]): string =>
  tools.length > MAX_NAMED ? counted(tools.length, 'tool') : tools.map(({ id }) => id).join(', ')
