import { readFileSync } from 'node:fs'
import { parse, TomlError } from 'smol-toml'
import type { z } from 'zod'
import { closest } from '../lib/suggest.ts'
import { lineOf } from './locate.ts'
import { ConfigError } from './problem.ts'
import { fileSchema, type FileConfig } from './schema.ts'

/** Reads and checks a file. Throws `ConfigError` with `FILE:LINE: what is wrong and what to write`. */
export function readConfigFile(path: string): FileConfig {
  return checkConfig(textOf(path), path)
}

/** Checks a file's text; `path` is for the messages. */
export function checkConfig(text: string, path: string): FileConfig {
  const checked = fileSchema.safeParse(tomlOf(text, path), { reportInput: true })
  if (!checked.success) {
    throw new ConfigError(checked.error.issues.map((issue) => `${path}:${sentence(issue, text)}`))
  }
  const problems = [...sameNames(checked.data, 'models', text), ...sameNames(checked.data, 'mcp', text)]
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `${path}:${problem}`))
  return checked.data
}

/** The defaults, which hold if there is no file. */
export const noConfigFile = (): FileConfig => fileSchema.parse({})

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError([`${path}: cannot be read: ${(error as Error).message}`])
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

function sentence(issue: z.core.$ZodIssue, text: string): string {
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    const near = closest(key, keysAt(issue.path))
    return `${lineOf(text, [...issue.path, key])}: unknown key ${key}${near ? `; did you mean ${near}?` : ''}`
  }
  const missing = issue.code === 'invalid_type' && issue.input === undefined
  const name = issue.path.filter((part) => typeof part === 'string').join('.')
  return `${lineOf(text, issue.path)}: ${name}${missing ? ' is missing' : `: ${issue.message}`}`
}

/** The keys that the schema has at a path. */
function keysAt(path: readonly PropertyKey[]): string[] {
  let schema: unknown = fileSchema
  for (const part of path) schema = typeof part === 'number' ? schema : shapeOf(schema)[String(part)]
  return Object.keys(shapeOf(schema))
}

function shapeOf(schema: unknown): Record<string, unknown> {
  const one = schema as
    { shape?: Record<string, unknown>; def?: { innerType?: unknown; element?: unknown } } | undefined
  if (one?.shape) return one.shape
  const inner = one?.def?.innerType ?? one?.def?.element
  return inner ? shapeOf(inner) : {}
}

function* sameNames(config: FileConfig, list: 'models' | 'mcp', text: string): Iterable<string> {
  const seen = new Set<string>()
  for (const [index, { name }] of config[list].entries()) {
    if (seen.has(name)) yield `${lineOf(text, [list, String(index), 'name'])}: the name ${name} is used twice`
    seen.add(name)
  }
}
