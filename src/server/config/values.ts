import { z } from 'zod'
import type { Environment } from './environment.ts'

export const positive = (fallback: number, says: string) =>
  z.int().min(1).max(2_000_000_000).default(fallback).describe(says)

/** A number that 0 turns off. */
export const orOff = (fallback: number, says: string) =>
  z.int().min(0).max(2_000_000_000).default(fallback).describe(says)

export const variable = (says: string) =>
  z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'write the name of an environment variable, not the key')
    .describe(says)

/** A header's name (RFC 9110, 5.1). */
export const header = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'write the name of a header')

export const headerEnv = z
  .record(header, variable(''))
  .default({})
  .describe('Further HTTP headers: each name with the environment variable that holds its value.')

/** A URL without a password, because it is shown and logged; `key` is the place for a password. */
export const address = (example: string, key: string) =>
  z
    .string()
    .refine(isWeb, { message: `write an address such as ${example}`, abort: true })
    .refine(hasNoPassword, `an address must not hold a password; use ${key}`)

const isWeb = (text: string): boolean => /^https?:\/\/\S+$/.test(text) && URL.canParse(text)

function hasNoPassword(text: string): boolean {
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

type Camel<K extends string> = K extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : K

/** Turns `api_key_env` into `apiKeyEnv`. Omits absent keys. */
export const camelKeys = <T extends object>(entry: T) =>
  Object.fromEntries(
    Object.entries(entry)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), value]),
  ) as { [K in keyof T & string as Camel<K>]: Exclude<T[K], undefined> }

/** Maps the keys of `names` to the variables' values. A blank variable counts as unset. */
export function valuesOf(names: Readonly<Record<string, string>>, env: Environment) {
  const found = Object.entries(names).map(([what, name]) => ({ what, name, value: env[name]?.trim() }))
  return {
    values: Object.fromEntries(found.flatMap(({ what, value }) => (value ? [[what, value] as const] : []))),
    unset: found.flatMap(({ name, value }) => (value ? [] : [name])),
  }
}
