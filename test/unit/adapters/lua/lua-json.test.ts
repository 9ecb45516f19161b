import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readLuaJson } from '../../../../src/adapters/lua/lua-json.ts'

/** A text as `string.format("%q", text)` writes it in Lua 5.4 (lstrlib.c, addquoted). */
function asLua(text: string): string {
  const inside = text.replace(/["\\\n]|[\0-\x1f\x7f]/g, (sign, at: number) => {
    if ('"\\\n'.includes(sign)) return `\\${sign}`
    const code = String(sign.charCodeAt(0))
    return `\\${/\d/.test(text[at + 1] ?? '') ? code.padStart(3, '0') : code}`
  })
  return `"${inside}"`
}

test('texts come back as they were, however Lua wrote them', () => {
  const nasty = fc.string({
    unit: fc.constantFrom('\\', '"', '\n', '\r', '\0', '\x7f', '1', 'n', 'u', 'é', '🙂'),
  })
  fc.assert(
    fc.property(fc.oneof(nasty, fc.string()), (text) => {
      expect(readLuaJson(asLua(text))).toBe(text)
      expect(readLuaJson(JSON.stringify([text, { [text]: 1 }]))).toEqual([text, { [text]: 1 }])
    }),
    { numRuns: 2000 },
  )
})
