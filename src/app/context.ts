import type { PoolComposer } from '../adapters/lua/composer.ts'
import type { CreateMcpServer } from '../adapters/mcp/server/server.ts'
import type { Storage } from '../adapters/storage/storage.ts'
import type { HookScripts } from '../prompt/hooks.ts'
import type { Alarm, Clock, Log, MonotonicClock } from '../chat/ports.ts'
import type { Config } from '../config/config.ts'
import type { LanguageModel } from '../turns/ports.ts'
import type { ReadableMeter } from '../adapters/metrics/meter.ts'
import type { CommandsState } from './tools/tool-sources.ts'

/** The storage, with what is known of the rooms' scripts before they are read. */
export interface AppStorage extends Storage {
  readonly prompts: Storage['prompts'] & { readonly scripts: HookScripts }
}

/** What every part of the server uses. */
export interface AppContext {
  readonly storage: AppStorage
  readonly clock: Clock & MonotonicClock & Alarm
  readonly log: Log
  /** Ids that sort in time order, after everything that is stored. */
  readonly nextId: () => string
  /** Whether commands can run with the config of the start. */
  readonly commands: Promise<CommandsState>
  /** Undefined if HTTP is not served, which would have its figures read. */
  readonly meter: ReadableMeter | undefined
}

/** What tests may replace. */
export interface Overrides {
  readonly clock?: Clock & MonotonicClock & Alarm
  readonly log?: Log
  /** Milliseconds until a question without an answer is a no. */
  readonly answerMs?: number
  /** It is not disposed of with the server. */
  readonly composer?: PoolComposer
  /** What speaks MCP for each agent that comes over HTTP. */
  readonly createMcpServer?: CreateMcpServer
  readonly createModel?: (settings: Config['models'][number]) => LanguageModel
}

/** Takes charge of a part: it is disposed of with the server, after whatever was made later. */
export type Owned = <T extends AsyncDisposable>(part: T) => T
