import type { RoomName } from '../../chat/entry.ts'
import type { Clock } from '../../chat/ports.ts'
import type { HookName } from './hook.ts'

/** Lines that are kept for each room, and rooms for which they are kept: of others the oldest goes first. */
const MAX_LINES = 50
const MAX_ROOMS = 256

interface Kept {
  readonly lines: string[]
  /** The version of the script whose failures were told, and its hooks that failed. */
  version: number
  failed: Set<HookName>
}

/** What the hooks of each room have logged since the server started. */
export interface HookLog {
  add(room: RoomName, hook: HookName, lines: readonly string[]): void
  /** True the first time that this hook of this version of the room's script is asked about. */
  isFirstFailure(room: RoomName, version: number, hook: HookName): boolean
  /** The newest last. */
  of(room: RoomName): readonly string[]
}

export function createHookLog(clock: Clock): HookLog {
  const rooms = new Map<RoomName, Kept>()

  function kept(room: RoomName): Kept {
    const known = rooms.get(room) ?? { lines: [], version: 0, failed: new Set() }
    rooms.delete(room)
    rooms.set(room, known)
    for (const oldest of rooms.keys()) {
      if (rooms.size <= MAX_ROOMS) break
      rooms.delete(oldest)
    }
    return known
  }

  return {
    add(room, hook, added) {
      if (added.length === 0) return
      const { lines } = kept(room)
      const at = new Date(clock.now()).toISOString()
      lines.push(...added.map((line) => `${at}  ${hook}  ${line}`))
      lines.splice(0, lines.length - MAX_LINES)
    },
    isFirstFailure(room, version, hook) {
      const known = kept(room)
      if (known.version !== version) Object.assign(known, { version, failed: new Set() })
      if (known.failed.has(hook)) return false
      known.failed.add(hook)
      return true
    },
    of: (room) => rooms.get(room)?.lines ?? [],
  }
}
