import { z } from 'zod'

/** An `http:` or `https:` address without a password in it, which would be shown and logged; `key` is the place for one. */
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
