import type { PoolComposer } from '../adapters/lua/composer.ts'
import type { CreateMcpServer } from '../adapters/mcp/server/server.ts'
import type { Storage } from '../adapters/storage/storage.ts'
import type { HookScripts } from '../prompt/hooks.ts'
import type { Alarm, Clock, Log, MonotonicClock } from '../chat/ports.ts'
import type { Config } from '../config/config.ts'
import type { LanguageModel } from '../turns/ports.ts'
import type { Meter } from '../adapters/metrics/meter.ts'
import type { CommandsState } from './tools/tool-sources.ts'

export interface AppStorage extends Storage {
  readonly prompts: Storage['prompts'] & { readonly scripts: HookScripts }
}

export interface AppContext {
  readonly storage: AppStorage
  readonly clock: Clock & MonotonicClock & Alarm
  readonly log: Log
  /** Ids sort by time, after everything that is stored. */
  readonly nextId: () => string
  readonly commands: Promise<CommandsState>
  /** Undefined if HTTP is not served. */
  readonly meter: Meter | undefined
}

/** What tests may replace. */
export interface Overrides {
  readonly clock?: Clock & MonotonicClock & Alarm
  readonly log?: Log
  /** Milliseconds until an unanswered question is a no. */
  readonly answerMs?: number
  /** Not disposed of with the server. */
  readonly composer?: PoolComposer
  readonly createMcpServer?: CreateMcpServer
  readonly createModel?: (settings: Config['models'][number]) => LanguageModel
}

/** The part is disposed of with the server, after all that were made later. */
export type Owned = <T extends AsyncDisposable>(part: T) => T
