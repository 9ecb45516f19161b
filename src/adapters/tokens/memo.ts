/**
 * Remembers what `compute` gave for a text, up to about `maxChars` characters of text in all. Texts live in
 * two generations: when the young one is full it becomes the old one, and what nobody asked for since the
 * last time is forgotten. So a known answer costs one lookup, and no order has to be kept.
 */
export function createMemo(maxChars: number, compute: (text: string) => number): (text: string) => number {
  const half = maxChars / 2
  let young = new Map<string, number>()
  let old: typeof young = new Map()
  let chars = 0

  function remember(text: string, value: number): void {
    if (text.length > half) return
    if (chars + text.length > half) {
      old = young
      young = new Map()
      chars = 0
    }
    young.set(text, value)
    chars += text.length
  }

  return (text) => {
    const known = young.get(text)
    if (known !== undefined) return known
    const value = old.get(text) ?? compute(text)
    remember(text, value)
    return value
  }
}
