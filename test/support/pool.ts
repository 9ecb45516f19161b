import { createComposer } from '../../src/wrap/lua/composer.ts'
import { type ComposerOptions } from '../../src/wrap/lua/pool.ts'
import { paths } from '../../src/base/paths.ts'
import { type Composer, WrapError } from '../../src/wrap/ports.ts'
import type { Snapshot } from '../../src/wrap/snapshot.ts'
import { createManualWatch, type ManualWatch, type WatchedWork } from './manual-watch.ts'
import { messages, sampleSnapshot } from './snapshot.ts'
import { expect } from 'vitest'

export interface LogLine {
  readonly level: string
  readonly facts: { readonly why?: string }
  readonly text: string
}

export function recordingLog(): { readonly lines: LogLine[]; readonly log: ComposerOptions['log'] } {
  const lines: LogLine[] = []
  const at = (level: string) => (facts: object, text: string) => void lines.push({ level, facts, text })
  return { lines, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } }
}

/** What a process loads in a third of the time that the usual encoding takes: these tests start many. */
const SMALL_ENCODING = 'r50k_base'

/** A composer on real wrap processes. */
export const openPool = (over: Partial<ComposerOptions> = {}): Composer =>
  createComposer({
    entry: paths.wrapProcess,
    packageRoot: paths.root,
    engine: 'wasmoon',
    encodings: [SMALL_ENCODING],
    log: recordingLog().log,
    ...over,
  })

/** A room with three messages, somebody of its own who asks, and a script if one is given. */
export const inRoom = (name: string, script?: string, user = `${name}-owner`): Snapshot => ({
  ...sampleSnapshot({ history: messages(3) }),
  user: { name: user, role: 'member' },
  room: { ...sampleSnapshot().room, name },
  model: { ...sampleSnapshot().model, encoding: SMALL_ENCODING },
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

/** Patterns run in C, where the engine's own time limit is not checked: only the kill from outside ends this. */
export const ENDLESS_PATTERN = '("a"):rep(2e5):find(".-.-.-b")'

/** A pool whose work is ended by the test. */
export type WatchedPool = Composer & { readonly watched: ManualWatch }

/** A pool that ends no work by itself: the test does. Its processes load no more than they need. */
export function openWatched(over: Partial<ComposerOptions> = {}): WatchedPool {
  const watched = createManualWatch()
  return Object.assign(openPool({ watch: watched.watch, encodings: [], ...over }), { watched })
}

/** What a prompt of a room was refused with, whose script never ends. */
export const attack = (pool: Composer, room: string): Promise<WrapError> =>
  failureOf(pool.compose(inRoom(room, ENDLESS_PATTERN)))

/** The next work that begins, which is endless; it takes no more of the processor, as it would to no end. */
export async function nextEndless({ watched }: WatchedPool): Promise<WatchedWork> {
  const work = await watched.next()
  process.kill(work.pid, 'SIGSTOP')
  return work
}

/** Two prompts of a room, composed one after the other. */
export async function composeTwo(pool: WatchedPool, room: string): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) {
    const prompt = pool.compose(inRoom(room))
    await pool.watched.next()
    expect((await prompt).budget.used).toBeGreaterThan(300)
  }
}
