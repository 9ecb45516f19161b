import type { RoomStore } from '../../../chat/ports.ts'
import type { ScriptStore } from '../../../prompt/ports.ts'

/** Copies what makes a room what it is into a new one. */
export function createMemoryForks(
  rooms: Omit<RoomStore, 'fork'>,
  scripts: Pick<ScriptStore, 'current' | 'put'>,
): Pick<RoomStore, 'fork'> {
  return {
    async fork(from, record) {
      const values = await rooms.values(from)
      const script = await scripts.current(from)
      if (!(await rooms.create(record))) return false
      for (const [key, value] of values) await rooms.setValue(record.name, key, value)
      if (script) await scripts.put({ ...script, room: record.name })
      return true
    },
  }
}
