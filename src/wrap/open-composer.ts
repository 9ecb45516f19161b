import { createComposer } from './lua/composer.ts'
import type { EngineName } from './lua/engines.ts'
import { NO_LOG } from './embedding/context.ts'
import type { Log } from '../base/environment.ts'
import type { Composer } from './ports.ts'
import type { Prompt } from './prompt.ts'
import type { Snapshot } from './snapshot.ts'
import { paths } from '../base/paths.ts'

export interface ComposerChoice {
  /** Default: `wasmoon`. */
  readonly engine?: EngineName
  /** Number of processes; default: 1. */
  readonly size?: number
  /** Logs the end of a process; default: no log. */
  readonly log?: Log
}

/** Starts a wrap process, which serves until the composer is disposed of. */
export const openComposer = ({ engine = 'wasmoon', size = 1, log = NO_LOG }: ComposerChoice = {}): Composer =>
  createComposer({ entry: paths.wrapProcess, packageRoot: paths.root, engine, size, log })

/**
 * Composes the layers of a snapshot under its budget. Without `composer`, a wrap process runs for this prompt
 * only. Rejects with `WrapError`.
 */
export async function composePrompt(
  snapshot: Snapshot,
  composer?: Pick<Composer, 'compose'>,
): Promise<Prompt> {
  if (composer) return await composer.compose(snapshot)
  await using own = openComposer()
  return await own.compose(snapshot)
}
