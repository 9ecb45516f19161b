/**
 * Remembers what `compute` gave for a text, up to `maxChars` characters of text in all; what was asked for
 * longest ago is forgotten first.
 */
export function createMemo(maxChars: number, compute: (text: string) => number): (text: string) => number {
  const values = new Map<string, number>()
  let chars = 0
  return (text) => {
    const known = values.get(text)
    if (known !== undefined) {
      values.delete(text)
      values.set(text, known)
      return known
    }
    const value = compute(text)
    if (text.length > maxChars) return value
    values.set(text, value)
    chars += text.length
    for (const oldest of values.keys()) {
      if (chars <= maxChars) break
      values.delete(oldest)
      chars -= oldest.length
    }
    return value
  }
}
