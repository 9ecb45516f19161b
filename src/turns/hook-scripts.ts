import type { HookName, ScriptStore, StoredScript } from '../wrap/index.ts'
import type { RoomName } from '../words/entry.ts'

/** Knows which scripts may have hooks. Scripts must be stored through it. */
export interface HookScripts extends ScriptStore {
  /** The room's script if its source has this hook's name. */
  withHook(room: RoomName, name: HookName): Promise<StoredScript | undefined>
  forget(room: RoomName): void
}

const HOOK_NAMES: readonly HookName[] = ['before_tool_call', 'after_turn', 'on_message', 'on_program_line']

/** Remembers which hooks each room's script may have, so that a room without hooks costs nothing. */
export function createHookScripts(scripts: ScriptStore): HookScripts {
  const known = new Map<RoomName, readonly HookName[]>()
  let changes = 0
  const forget = (room: RoomName): void => {
    known.delete(room)
    changes++
  }
  return {
    ...scripts,
    forget,
    async put(script) {
      forget(script.room)
      return await scripts.put(script).finally(() => forget(script.room))
    },
    async withHook(room, name) {
      if (known.get(room)?.includes(name) === false) return undefined
      const before = changes
      const script = await scripts.current(room)
      const names = HOOK_NAMES.filter((one) => script?.source.includes(one))
      // A script read while another one was stored may be the old one.
      if (changes === before) known.set(room, names)
      return names.includes(name) ? script : undefined
    },
  }
}
