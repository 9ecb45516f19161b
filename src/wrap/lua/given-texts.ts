import { utf8Bytes } from '../../base/amounts.ts'
import { isJsonList, isJsonObject, type Json } from '../../base/json.ts'

/** The newest texts from a job's host. Lua returns their numbers instead of the texts. */
export interface GivenTexts {
  /** Stores a well-formed text under the next number. Must count as lua/sandbox.lua does. */
  keep(text: string): void
  /** Numbers the next text 1 again. Call it before each run of a script: Lua also starts its count again. */
  forget(): void
  /** Replaces numbers by texts; `bytes` is the size that they add. Throws for an unknown number. */
  putBack(value: Json): { readonly value: Json; readonly bytes: number }
}

/** Must equal the number in lua/sandbox.lua. */
const MAX_TEXTS = 16

/** A lone surrogate and digits, as lua/json.lua writes a number. No text from Lua has a lone surrogate. */
const NAMED = /^\ud800(\d+)$/

export function createGivenTexts(): GivenTexts {
  const kept: string[] = []
  let count = 0
  return {
    keep(text) {
      count += 1
      kept[count % MAX_TEXTS] = text
    },
    forget() {
      count = 0
    },
    putBack(given) {
      let bytes = 0
      const named = (number: number): string => {
        const text = number > count - MAX_TEXTS && number <= count ? kept[number % MAX_TEXTS] : undefined
        if (text === undefined) throw new Error(`Lua names the text ${number}, which it was not given`)
        bytes += utf8Bytes(text)
        return text
      }
      const walk = (value: Json): Json => {
        if (typeof value === 'string') {
          const number = NAMED.exec(value)?.[1]
          return number === undefined ? value : named(Number(number))
        }
        if (isJsonList(value)) return value.map(walk)
        if (!isJsonObject(value)) return value
        return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]))
      }
      return { value: count === 0 ? given : walk(given), bytes }
    },
  }
}
