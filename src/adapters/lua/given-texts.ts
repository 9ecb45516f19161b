import { utf8Bytes } from '../../lib/amounts.ts'
import { isJsonList, isJsonObject, type Json } from '../../lib/json.ts'

/**
 * The newest texts that a job was given by its host. Lua names them by number, so that they need not come
 * back.
 */
export interface GivenTexts {
  /** Takes the next text, which is well-formed; lua/sandbox.lua counts in the same way. */
  keep(text: string): void
  /** Lua begins again. */
  forget(): void
  /**
   * The value with the texts in their places; `bytes` is what they add to its size. Throws for one that was
   * not kept.
   */
  putBack(value: Json): { readonly value: Json; readonly bytes: number }
}

/** As in lua/sandbox.lua. */
const MAX_TEXTS = 16

/**
 * Half a character and digits, as lua/json.lua writes it: no text that comes from Lua has half a character.
 */
const NAMED = /^\ud800(\d+)$/

/** For one job. */
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
