import type { Log } from '../../chat/ports.ts'
import type { EngineName } from './engines.ts'
import type { Watch } from './watchdog.ts'

/** What composing may use. */
export interface ComposerLimits {
  /** Milliseconds that a script may run; the engine stops it. */
  readonly timeMs: number
  /** Milliseconds of processor time for one composition, counting included; past it the process is killed. */
  readonly cpuMs: number
  /** Milliseconds of real time. It is long, because honest work takes long on a busy machine. */
  readonly wallMs: number
  readonly memoryBytes: number
  /** MiB of JavaScript heap in each process. */
  readonly heapMiB: number
  /** Compositions that may wait for one room. */
  readonly queued: number
}

/** Limits for a server of any size. */
export const DEFAULT_COMPOSER_LIMITS: ComposerLimits = {
  timeMs: 250,
  cpuMs: 1000,
  wallMs: 15_000,
  memoryBytes: 64 * 1024 * 1024,
  heapMiB: 384,
  queued: 32,
}

/** How to make a composer. */
export interface ComposerOptions {
  /** The built process/main.ts. */
  readonly entry: string
  /** The directory that has `dist`, `lua` and `node_modules`. */
  readonly packageRoot: string
  /** Processes at most; 2 if absent, so that a room whose script hangs leaves one to all others. */
  readonly size?: number
  readonly engine: EngineName
  /** Encodings to load at the start; others are loaded when a prompt first needs them. */
  readonly encodings?: readonly string[]
  readonly limits?: Partial<ComposerLimits>
  /** How it is known that a process has worked too long; the real way if absent. */
  readonly watch?: Watch
  readonly log: Log
}
