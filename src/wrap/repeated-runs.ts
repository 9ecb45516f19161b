import type { Json } from '../base/json.ts'
import type { LuaEngine, LuaJob } from './ports.ts'

/** A question of Lua, with its answer or the error that Lua got. */
type RecordedCall = { readonly name: string; readonly argument: Json } & (
  | { readonly answer: Json }
  | { readonly error: unknown }
)

interface PastRun {
  readonly asked: readonly RecordedCall[]
  readonly value: Json
}

/** The number of cached runs; the least recently used is dropped first. */
const MAX_RUNS = 32
/** The most questions that a script asked the host in a cached run. A run with more is not cached. */
const MAX_ASKED = 64
/** The most characters of a cached run's script with its data, and of its answers with its result. */
const MAX_CHARS = 256 * 1024

export type RepeatedRuns = (engine: LuaEngine, job: LuaJob) => Json

/**
 * Runs Lua only if its result is not known. A script has no clock, no randomness and no memory, so equal data
 * and answers give equal questions and an equal result. First asks the host the questions of the last such
 * run. If an answer differs, runs Lua, with the answers so far. Throws `WrapError`, as `engine.run` does; a
 * run that fails is not cached.
 */
export function createRepeatedRuns(): RepeatedRuns {
  const kept = new Map<string, PastRun>()
  return (engine, job) => {
    const key = JSON.stringify([job.script ?? '', job.data, job.maxOutput])
    const past = kept.get(key)
    kept.delete(key)
    const asked: RecordedCall[] = []
    const run = past?.asked.every((one) => isSame(one, ask(job, one, asked)))
      ? past
      : { asked, value: engine.run({ ...job, host: replayThenAsk(asked, job) }) }
    if (run === past || isSmall(run, key)) kept.set(key, run)
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size > MAX_RUNS) kept.delete(oldest)
    return run.value
  }
}

function ask(
  { host }: LuaJob,
  { name, argument }: Pick<RecordedCall, 'name' | 'argument'>,
  asked: RecordedCall[],
): RecordedCall {
  const outcome = (): { readonly answer: Json } | { readonly error: unknown } => {
    try {
      return { answer: host(name, argument) }
    } catch (error) {
      return { error }
    }
  }
  const one = { name, argument, ...outcome() }
  asked.push(one)
  return one
}

/** Returns a host that first repeats the answers given so far. */
function replayThenAsk(asked: RecordedCall[], job: LuaJob): LuaJob['host'] {
  let next = 0
  return (name, argument) => {
    // An engine may begin a script again; then the remaining answers do not fit its questions.
    const known = asked[next]
    const fits = known?.name === name && JSON.stringify(known.argument) === JSON.stringify(argument)
    if (!fits) asked.length = Math.min(asked.length, next)
    const one = fits ? known : ask(job, { name, argument }, asked)
    next += 1
    if ('error' in one) throw one.error
    return one.answer
  }
}

/** Compares answers that are no objects, because `isSmall` rejects runs with objects. */
const isSame = (past: RecordedCall, now: RecordedCall): boolean =>
  'answer' in past && 'answer' in now && past.answer === now.answer

function isSmall({ asked, value }: PastRun, key: string): boolean {
  if (asked.length > MAX_ASKED || key.length > MAX_CHARS) return false
  let chars = 0
  for (const one of asked) {
    if ('error' in one || (typeof one.answer === 'object' && one.answer !== null)) return false
    chars += JSON.stringify([one.argument, one.answer]).length
  }
  return chars + JSON.stringify(value).length <= MAX_CHARS
}
