import type { Log } from '../../chat/ports.ts'
import type { News } from '../../cluster/ports.ts'
import type { RoomName } from '../../chat/entry.ts'
import type { HookScripts } from '../../prompt/hooks/hook-scripts.ts'
import type { Mcp } from '../mcp/open-mcp.ts'

/** What this server keeps in memory, and other servers may change. */
interface Kept {
  readonly scripts: Pick<HookScripts, 'forget'>
  readonly mcp: Pick<Mcp, 'readAgain' | 'approvedElsewhere'>
}

/** Keeps it as the others leave it from now on, and as they have left it since it was read. */
export async function followOthers(news: Pick<News, 'on'>, { scripts, mcp }: Kept, log: Log): Promise<void> {
  news.on('room_scripts', async (rooms: readonly RoomName[]) => rooms.forEach((room) => scripts.forget(room)))
  news.on('mcp_servers', (names) => mcp.readAgain(names))
  news.on('mcp_pins', (names) => mcp.approvedElsewhere(names))
  await mcp.readAgain().catch((error: unknown) => log.warn({ error }, 'the MCP servers were not read again'))
}
