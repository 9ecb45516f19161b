import { createComposer } from '../../src/adapters/lua/composer.ts'
import { type ComposerOptions } from '../../src/adapters/lua/composer-options.ts'
import { paths } from '../../src/app/paths.ts'
import { type Composer, WrapError } from '../../src/prompt/ports.ts'
import type { Snapshot } from '../../src/prompt/snapshot.ts'
import { messages, sampleSnapshot } from './snapshot.ts'

/** A line of a log. */
export interface LogLine {
  readonly level: string
  readonly facts: { readonly why?: string }
  readonly text: string
}

/** A log that keeps its lines. */
export function recordingLog(): { readonly lines: LogLine[]; readonly log: ComposerOptions['log'] } {
  const lines: LogLine[] = []
  const at = (level: string) => (facts: object, text: string) => void lines.push({ level, facts, text })
  return { lines, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } }
}

/** A composer on real wrap processes. */
export const openPool = (over: Partial<ComposerOptions> = {}): Composer =>
  createComposer({
    entry: paths.wrapProcess,
    packageRoot: paths.root,
    engine: 'wasmoon',
    log: recordingLog().log,
    ...over,
  })

/** A room with three messages, and a script if one is given. */
export const inRoom = (name: string, script?: string): Snapshot => ({
  ...sampleSnapshot({ history: messages(3) }),
  room: { ...sampleSnapshot().room, name },
  ...(script === undefined ? {} : { script: { source: script, version: 1 } }),
})

/** What an attempt was refused with. Throws if it was not refused. */
export const failureOf = async (attempt: Promise<unknown>): Promise<WrapError> => {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof WrapError) return error
  throw new Error(`not refused with a WrapError: ${String(error)}`)
}
