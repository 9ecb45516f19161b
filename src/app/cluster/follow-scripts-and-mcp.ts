import type { RoomName } from '../../chat/entry.ts'
import type { RoomStore } from '../../chat/ports.ts'
import type { News } from '../../cluster/ports.ts'
import type { HookScripts } from '../../prompt/hooks/hook-scripts.ts'
import type { Mcp } from '../mcp/open.ts'

/** What this server keeps in memory of rooms' scripts and MCP servers, and other servers may change. */
interface Kept {
  readonly rooms: Pick<RoomStore, 'all'>
  readonly scripts: Pick<HookScripts, 'forget'>
  readonly mcp: Pick<Mcp, 'readAgain' | 'approvedElsewhere'>
}

/**
 * Reads all of it once, then follows the news of other servers. Resolves to a function that reads all of it again. Rejects with
 * `StorageError`.
 */
export async function followScriptsAndMcp(
  news: Pick<News, 'on'>,
  { rooms, scripts, mcp }: Kept,
): Promise<() => Promise<void>> {
  news.on('room_scripts', async (rooms: readonly RoomName[]) => rooms.forEach((room) => scripts.forget(room)))
  news.on('mcp_servers', (names) => mcp.readAgain(names))
  news.on('mcp_pins', (names) => mcp.approvedElsewhere(names))
  async function readAgain(): Promise<void> {
    for (const { name } of await rooms.all()) scripts.forget(name)
    await mcp.readAgain()
  }
  await readAgain()
  return readAgain
}
