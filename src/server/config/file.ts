import { readFileSync } from 'node:fs'
import { parse, TomlError } from 'smol-toml'
import type { z } from 'zod'
import { errorMessage } from '../../base/errors.ts'
import { BACKENDS, PROVIDERS, type SettingKey } from '../../models/index.ts'
import { didYouMean } from '../../base/suggest.ts'
import { ConfigError } from './environment.ts'
import { fileSchema, type FileConfig } from './schema.ts'

/** Throws `ConfigError` with `FILE:LINE: what is wrong and what to write`. */
export function readConfigFile(path: string): FileConfig {
  return checkConfig(textOf(path), path)
}

/** `path` is for messages. Throws `ConfigError` with all problems in order of lines. */
export function checkConfig(text: string, path: string): FileConfig {
  const file = tomlOf(text, path)
  const { success, data, error } = fileSchema.safeParse(file, { reportInput: true })
  const issues = error?.issues.flatMap((issue) => problemsOf(issue, text)) ?? []
  const problems = [...issues, ...problemsBeyondSchema(file, text)].toSorted((a, b) => a.line - b.line)
  if (success && problems.length === 0) return data
  throw new ConfigError(problems.map(({ line, sentence }) => `${path}:${line}: ${sentence}`))
}

export const noConfigFile = (): FileConfig => fileSchema.parse({})

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError([`${path}: cannot be read: ${errorMessage(error)}`])
  }
}

function tomlOf(text: string, path: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const what = error.message.replace(/\n.*$/s, '').replace(/^Invalid TOML document: /, '')
    throw new ConfigError([`${path}:${error.line}: not TOML: ${what}`])
  }
}

interface ConfigProblem {
  readonly line: number
  readonly sentence: string
}

function problemsOf(issue: z.core.$ZodIssue, text: string): readonly ConfigProblem[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const sentence = `unknown key ${key}${didYouMean(key, keysAt(path))}`
      return { line: lineOf(text, [...path, key]), sentence }
    })
  }
  const missing = issue.code === 'invalid_type' && issue.input === undefined
  const name = path.filter((part) => typeof part === 'string').join('.')
  const sentence = `${name}${missing ? ' is missing' : `: ${issue.message}`}`
  return [{ line: lineOf(text, path), sentence }]
}

function keysAt(path: readonly PropertyKey[]): string[] {
  let schema: unknown = fileSchema
  for (const part of path) schema = typeof part === 'number' ? schema : shapeOf(schema)[String(part)]
  return Object.keys(shapeOf(schema))
}

function shapeOf(schema: unknown): Record<string, unknown> {
  const one = schema as
    | { shape?: Record<string, unknown>; def?: { innerType?: unknown; element?: unknown } }
    | undefined
  if (one?.shape) return one.shape
  const inner = one?.def?.innerType ?? one?.def?.element
  return inner ? shapeOf(inner) : {}
}

/** Reads the unchecked file, so that schema problems hide no others. */
const problemsBeyondSchema = (file: unknown, text: string): readonly ConfigProblem[] =>
  [
    ...findDuplicateNames(file, 'models'),
    ...findDuplicateNames(file, 'mcp'),
    ...findWrongFallbacks(file),
    ...findUnknownSummarizer(file),
    ...findUselessSettings(file),
    ...findBusWithoutStorage(file),
  ].map(({ path, sentence }) => ({ line: lineOf(text, path), sentence }))

interface ProblemAtPath {
  readonly path: readonly string[]
  readonly sentence: string
}

function* findDuplicateNames(file: unknown, list: 'models' | 'mcp'): Iterable<ProblemAtPath> {
  const seen = new Set<unknown>()
  for (const [index, entry] of listAt(file, list).entries()) {
    const name = at(entry, 'name')
    if (typeof name === 'string' && seen.has(name))
      yield { path: [list, String(index), 'name'], sentence: `the name ${name} is used twice` }
    seen.add(name)
  }
}

/** A fallback must be `@guide` or another enabled model of the file, without cycles. */
function* findWrongFallbacks(file: unknown): Iterable<ProblemAtPath> {
  const models = listAt(file, 'models')
  const next = new Map(models.map((entry) => [at(entry, 'name'), at(entry, 'fallback')]))
  const off = new Set(models.flatMap((entry) => (at(entry, 'enabled') === false ? [at(entry, 'name')] : [])))
  for (const [index, entry] of models.entries()) {
    const [name, fallback] = [at(entry, 'name'), at(entry, 'fallback')]
    if (typeof name !== 'string' || typeof fallback !== 'string') continue
    const path = ['models', String(index), 'fallback']
    if (!next.has(fallback) && fallback !== 'guide')
      yield { path, sentence: `there is no model called ${fallback} in this file; name another one` }
    else if (off.has(fallback) && !off.has(name))
      yield { path, sentence: `the model ${fallback} has enabled = false; enable it, or name another one` }
    else if (leadsBack(name, next))
      yield { path, sentence: `the fallbacks of ${name} lead back to it; leave one of them out` }
  }
}

/** If the file names no models, they are found later. */
function* findUnknownSummarizer(file: unknown): Iterable<ProblemAtPath> {
  const name = at(at(file, 'memory'), 'summarizer')
  const names = listAt(file, 'models').map((entry) => at(entry, 'name'))
  if (typeof name !== 'string' || names.length === 0 || names.includes(name)) return
  const sentence = `memory.summarizer: there is no model called ${name} in this file; name one of it`
  yield { path: ['memory', 'summarizer'], sentence }
}

const SETTINGS = new Set<SettingKey>(BACKENDS.flatMap((backend) => PROVIDERS[backend].takes))

const backendsThatTake = (key: SettingKey) =>
  BACKENDS.filter((backend) => PROVIDERS[backend].takes.some((one: SettingKey) => one === key))

/** Finds settings that the backend would ignore. */
function* findUselessSettings(file: unknown): Iterable<ProblemAtPath> {
  for (const [index, entry] of listAt(file, 'models').entries()) {
    const backend = BACKENDS.find((one) => one === at(entry, 'backend'))
    const isResponses = at(entry, 'api') === 'responses'
    for (const key of backend ? SETTINGS : []) {
      if (at(entry, key) === undefined || !backend) continue
      const path = ['models', String(index), key]
      const takers = backendsThatTake(key)
      if (!takers.includes(backend))
        yield { path, sentence: `models.${key}: only for ${takers.join(', ')}; leave it out` }
      else if (isResponses && (key === 'seed' || key === 'stop'))
        yield { path, sentence: `models.${key}: OpenAI's Responses API does not have it; leave it out` }
    }
  }
}

function* findBusWithoutStorage(file: unknown): Iterable<ProblemAtPath> {
  const storage = at(file, 'storage')
  const isShared = ['url', 'url_env'].some((key) => at(storage, key) !== undefined)
  if (at(file, 'bus') === undefined || isShared) return
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

/**
 * Returns the line (1-based) of the value at `path`, or of its nearest existing parent. The TOML parser gives
 * no positions; this reads only tables and keys at line starts.
 */
export function lineOf(text: string, path: readonly PropertyKey[]): number {
  const wanted = path.map(String)
  const counts = new Map<string, number>()
  let table: string[] = []
  let best = { depth: 0, line: 1 }

  text.split('\n').forEach((line, index) => {
    const [, brackets, header] = /^\s*(\[\[?)\s*([^\]]+?)\s*\]/.exec(line) ?? []
    const [, key] = /^\s*("[^"]+"|[A-Za-z0-9_-]+(?:\s*\.\s*[A-Za-z0-9_-]+)*)\s*=/.exec(line) ?? []
    if (header) table = brackets === '[[' ? nextElement(keys(header)) : keys(header)
    const here = header ? table : key ? [...table, ...keys(key)] : undefined
    if (here && here.length > best.depth && here.every((part, at) => part === wanted[at])) {
      best = { depth: here.length, line: index + 1 }
    }
  })
  return best.line

  function nextElement(name: string[]): string[] {
    const id = name.join('.')
    const number = (counts.get(id) ?? -1) + 1
    counts.set(id, number)
    return [...name, String(number)]
  }
}

const keys = (dotted: string): string[] => dotted.split('.').map((part) => part.trim().replaceAll('"', ''))
