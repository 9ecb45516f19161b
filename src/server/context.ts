import type { PoolComposer } from '../wrap/lua/index.ts'
import type { CreateMcpServer } from '../mcp/server/index.ts'
import type { Storage } from '../storage/index.ts'
import type { Alarm, Clock, Log, MonotonicClock } from '../base/environment.ts'
import type { HookScripts } from '../turns/index.ts'
import type { Config } from './config/config.ts'
import type { LanguageModel } from '../wrap/loop/index.ts'
import type { Meter } from './metrics/meter.ts'
import type { CommandsState } from './tools/commands-state.ts'

export interface AppStorage extends Storage {
  readonly prompts: Storage['prompts'] & { readonly scripts: HookScripts }
}

export interface AppContext {
  readonly storage: AppStorage
  readonly clock: Clock & MonotonicClock & Alarm
  readonly log: Log
  /** Creates IDs that sort by time, after all stored ones. */
  readonly nextId: () => string
  readonly commands: Promise<CommandsState>
  /** Undefined if HTTP is not served. */
  readonly meter: Meter | undefined
}

/** What tests may replace. */
export interface Overrides {
  readonly clock?: Clock & MonotonicClock & Alarm
  readonly log?: Log
  /** Time in ms after which an unanswered question counts as denied. */
  readonly answerMs?: number
  /** Not disposed of with the server. */
  readonly composer?: PoolComposer
  readonly createMcpServer?: CreateMcpServer
  readonly createModel?: (settings: Config['models'][number]) => LanguageModel
}

/** Registers a part to be disposed of with the server, in reverse order of creation. */
export type TakeOwnership = <T extends AsyncDisposable>(part: T) => T
