import type { RoomName } from '../../../chat/entry.ts'
import type { RoomStore } from '../../../chat/ports.ts'
import type { ScriptStore, StoredScript } from '../../../prompt/ports.ts'
import { missing } from './table.ts'

/** Room scripts in a map, newest first. */
export function createMemoryScripts(rooms: Pick<RoomStore, 'find'>): ScriptStore {
  const scripts = new Map<RoomName, readonly StoredScript[]>()
  return {
    current: async (room) => scripts.get(room)?.[0],
    async put(script) {
      if (!(await rooms.find(script.room))) throw missing(`room ${script.room}`)
      const versions = scripts.get(script.room) ?? []
      const added = { ...script, version: versions.length + 1 }
      scripts.set(script.room, [added, ...versions])
      return added
    },
    versions: async (room) => scripts.get(room) ?? [],
  }
}
