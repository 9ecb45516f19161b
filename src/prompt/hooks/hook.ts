/**
 * Hooks: functions of a room's script that the server calls when a tool is about to run, when a turn has ended and when
 * somebody spoke. room-hooks.ts is the server's side; run-hook.ts runs in the wrap process, where prompts are composed.
 * A hook can refuse a call, set key-values and log. This folder must not know how tools run, or how models are asked.
 */
import type { EntryKind, RoomName } from '../../chat/entry.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import type { RoomScript } from '../snapshot.ts'

/** The names of the functions that a script may define. */
export const HOOK_NAMES = ['before_tool_call', 'after_turn', 'on_message'] as const

export type HookName = (typeof HOOK_NAMES)[number]

/** The kinds of entries that `on_message` is called with. */
export const HEARD_KINDS: ReadonlySet<EntryKind> = new Set<EntryKind>(['message', 'action', 'reply'])

/** One call of a hook. It is plain JSON, so that it can be sent to another process. */
export interface HookRun {
  readonly name: HookName
  readonly script: RoomScript
  /** The name of who set the script, and pays for what it costs. */
  readonly author: string
  readonly argument: JsonObject
  /** Milliseconds since the epoch: the only time that the script can see. */
  readonly now: number
  /** The room, without its exits: who can see them depends on who reads. */
  readonly room: {
    readonly name: RoomName
    readonly topic: string
    readonly vibe: string
    readonly private: boolean
    readonly todo: readonly { readonly content: string; readonly status: string }[]
    readonly values: { readonly [key: string]: Json }
  }
}

/** What came of it. */
export interface HookOutcome {
  /** Why the call may not run; only of `before_tool_call`. */
  readonly refusal?: string
  /** Key-values to be stored, in the order in which they were first set; null removes a key. */
  readonly values: readonly (readonly [key: string, value: Json])[]
  /** Lines of the hook's log. */
  readonly log: readonly string[]
}

/**
 * Whether a script may have this hook. A script in which the name does not stand is not run for it, so that a room without
 * hooks costs nothing.
 */
export const mayDefine = <Script extends RoomScript>(
  script: Script | undefined,
  name: HookName,
): script is Script => script?.source.includes(name) ?? false
