import type { RoomName } from '../../chat/entry.ts'
import type { ScriptStore, StoredScript } from '../ports.ts'
import type { RoomScript } from '../snapshot.ts'
import { HOOK_NAMES, type HookName, mayDefine } from './hook.ts'

/** Room scripts as hooks need them. All scripts must be stored through it. */
export interface HookScripts extends ScriptStore {
  /** The room's script if it may have this hook. Once that is known it is not read again to say no. */
  withHook(room: RoomName, name: HookName): Promise<StoredScript | undefined>
  /** The room was deleted: one of the same name may have another script. */
  forget(room: RoomName): void
}

/** The hooks that a script may have. */
type HookNames = ReadonlySet<HookName>

/** Of each room it keeps which hooks its script may have, and not the script. */
export function createHookScripts(scripts: ScriptStore): HookScripts {
  const known = new Map<RoomName, HookNames>()
  let changes = 0

  function forget(room: RoomName): void {
    known.delete(room)
    changes++
  }

  async function read(room: RoomName): Promise<StoredScript | undefined> {
    const before = changes
    const script = await scripts.current(room)
    // What was read while another script was stored may be the old one.
    if (changes === before) known.set(room, hooksIn(script))
    return script
  }

  return {
    ...scripts,
    forget,
    async put(script) {
      forget(script.room)
      try {
        return await scripts.put(script)
      } finally {
        forget(script.room)
      }
    },
    async withHook(room, name) {
      if (known.get(room)?.has(name) === false) return undefined
      const script = await read(room)
      return mayDefine(script, name) ? script : undefined
    },
  }
}

const hooksIn = (script: RoomScript | undefined): HookNames =>
  new Set(HOOK_NAMES.filter((name) => mayDefine(script, name)))
