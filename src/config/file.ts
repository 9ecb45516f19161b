import { readFileSync } from 'node:fs'
import { parse, TomlError } from 'smol-toml'
import type { z } from 'zod'
import { errorMessage } from '../lib/errors.ts'
import { closest } from '../lib/suggest.ts'
import { problemsBeyondSchema, type ConfigProblem } from './beyond-schema.ts'
import { lineOf } from './locate.ts'
import { ConfigError } from './problem.ts'
import { fileSchema, type FileConfig } from './schema.ts'

/** Reads and checks a file. Throws `ConfigError` with `FILE:LINE: what is wrong and what to write`. */
export function readConfigFile(path: string): FileConfig {
  return checkConfig(textOf(path), path)
}

/** Checks a file's text; `path` is for the messages. Throws `ConfigError` with all problems, in order of line. */
export function checkConfig(text: string, path: string): FileConfig {
  const written = tomlOf(text, path)
  const { success, data, error } = fileSchema.safeParse(written, { reportInput: true })
  const issues = error?.issues.flatMap((issue) => problemsOf(issue, text)) ?? []
  const problems = [...issues, ...problemsBeyondSchema(written, text)].toSorted((a, b) => a.line - b.line)
  if (success && problems.length === 0) return data
  throw new ConfigError(problems.map(({ line, sentence }) => `${path}:${line}: ${sentence}`))
}

/** The defaults, which hold if there is no file. */
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

function problemsOf(issue: z.core.$ZodIssue, text: string): readonly ConfigProblem[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const near = closest(key, keysAt(path))
      const sentence = `unknown key ${key}${near ? `; did you mean ${near}?` : ''}`
      return { line: lineOf(text, [...path, key]), sentence }
    })
  }
  const missing = issue.code === 'invalid_type' && issue.input === undefined
  const name = path.filter((part) => typeof part === 'string').join('.')
  const sentence = `${name}${missing ? ' is missing' : `: ${issue.message}`}`
  return [{ line: lineOf(text, path), sentence }]
}

/** The keys that the schema has at a path. */
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
