import { lineOf } from './locate.ts'

/** What is wrong with a file that its schema does not say: where, and a sentence. */
export interface ConfigProblem {
  /** From 1. */
  readonly line: number
  readonly sentence: string
}

/**
 * Names that are used twice, fallbacks that lead nowhere or round in a circle, and settings that do nothing where they
 * stand: accepting those in silence would mislead.
 * It looks at the file as it was written, so that the schema's problems hide none of these.
 */
export const problemsBeyondSchema = (written: unknown, text: string): readonly ConfigProblem[] =>
  [
    ...namesTwice(written, 'models'),
    ...namesTwice(written, 'mcp'),
    ...fallbacks(written),
    ...unknownSummarizer(written),
    ...keptElsewhere(written),
    ...busWithoutStorage(written),
  ].map(({ path, sentence }) => ({ line: lineOf(text, path), sentence }))

interface Found {
  readonly path: readonly string[]
  readonly sentence: string
}

function* namesTwice(written: unknown, list: 'models' | 'mcp'): Iterable<Found> {
  const seen = new Set<unknown>()
  for (const [index, entry] of listAt(written, list).entries()) {
    const name = at(entry, 'name')
    if (typeof name === 'string' && seen.has(name))
      yield { path: [list, String(index), 'name'], sentence: `the name ${name} is used twice` }
    seen.add(name)
  }
}

/** A model that needs no entry. */
const ALWAYS_THERE = 'guide'

/** Each fallback must be another model of the file that is enabled, or `@guide`, and asking one after the other must come to an end. */
function* fallbacks(written: unknown): Iterable<Found> {
  const models = listAt(written, 'models')
  const next = new Map(models.map((entry) => [at(entry, 'name'), at(entry, 'fallback')]))
  const off = new Set(models.flatMap((entry) => (at(entry, 'enabled') === false ? [at(entry, 'name')] : [])))
  for (const [index, entry] of models.entries()) {
    const [name, fallback] = [at(entry, 'name'), at(entry, 'fallback')]
    if (typeof name !== 'string' || typeof fallback !== 'string') continue
    const path = ['models', String(index), 'fallback']
    if (!next.has(fallback) && fallback !== ALWAYS_THERE)
      yield { path, sentence: `there is no model called ${fallback} in this file; name another one` }
    else if (off.has(fallback) && !off.has(name))
      yield { path, sentence: `the model ${fallback} has enabled = false; enable it, or name another one` }
    else if (leadsBack(name, next))
      yield { path, sentence: `the fallbacks of ${name} lead back to it; leave one of them out` }
  }
}

/** The model that sums up rooms must be one of the file. Where the file names no models, those are found later. */
function* unknownSummarizer(written: unknown): Iterable<Found> {
  const name = at(at(written, 'memory'), 'summarizer')
  const names = listAt(written, 'models').map((entry) => at(entry, 'name'))
  if (typeof name !== 'string' || names.length === 0 || names.includes(name)) return
  const sentence = `memory.summarizer: there is no model called ${name} in this file; name one of it`
  yield { path: ['memory', 'summarizer'], sentence }
}

/** A model that no server is asked to keep. */
function* keptElsewhere(written: unknown): Iterable<Found> {
  for (const [index, entry] of listAt(written, 'models').entries()) {
    if (at(entry, 'keep_alive') === undefined || at(entry, 'backend') === 'ollama') continue
    const sentence = 'models.keep_alive: only a model of the backend "ollama" can be kept; leave it out'
    yield { path: ['models', String(index), 'keep_alive'], sentence }
  }
}

/** A bus between servers that share nothing. */
function* busWithoutStorage(written: unknown): Iterable<Found> {
  const storage = at(written, 'storage')
  const isShared = ['url', 'url_env'].some((key) => at(storage, key) !== undefined)
  if (at(written, 'bus') === undefined || isShared) return
  const sentence =
    'bus: servers need a database that they share; give url in [storage] an address of PostgreSQL, or leave [bus] out'
  yield { path: ['bus'], sentence }
}

function leadsBack(name: string, next: ReadonlyMap<unknown, unknown>): boolean {
  const seen = new Set<unknown>()
  for (let one = next.get(name); one !== undefined && !seen.has(one); one = next.get(one)) {
    if (one === name) return true
    seen.add(one)
  }
  return false
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const list = at(value, key)
  return Array.isArray(list) ? list : []
}

const at = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined
