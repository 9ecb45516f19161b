// base has helpers for any program. It must not know rooms, people, prompts or commands, nor Node, except for
// the directories of the package.

declare const brand: unique symbol

/** A string that only one function creates. */
export type Brand<Name extends string> = string & { readonly [brand]: Name }

/** Typed `Object.keys`. Must not be used for data, which may have keys that its type lacks. */
export const keysOf = <Key extends string>(table: Readonly<Record<Key, unknown>>): readonly Key[] =>
  Object.keys(table) as Key[]

/** Throws `RangeError` if the lengths differ. */
export function zip<A, B>(a: readonly A[], b: readonly B[]): readonly (readonly [A, B])[] {
  if (a.length !== b.length) throw new RangeError(`${a.length} and ${b.length} elements cannot be paired up`)
  return a.map((one, index) => [one, b[index] as B])
}

/** Computes the 32-bit FNV-1a hash of the UTF-16 code units. Must not be used for secrets. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}

export const shortHash = (text: string): string => fnv1a(text).toString(16).padStart(8, '0')

/** Returns the cached result of `make` for this object and key, or calls `make`. */
export type MemoizePer<Of extends object, T> = (of: Of, key: string, make: () => T) => T

/** The number of results cached per object; the oldest result is dropped first. */
const MAX_KEPT = 4

export function memoizePer<Of extends object, T>(): MemoizePer<Of, T> {
  const objects = new WeakMap<Of, Map<string, { readonly made: T }>>()
  return (of, key, make) => {
    const known = objects.get(of) ?? new Map<string, { readonly made: T }>()
    objects.set(of, known)
    const found = known.get(key)
    if (found) return found.made
    const made = make()
    known.set(key, { made })
    const [oldest] = known.keys()
    if (oldest !== undefined && known.size > MAX_KEPT) known.delete(oldest)
    return made
  }
}

/** The default number of tokens reserved for an answer. */
export const usualOutput = (window: number): number => Math.min(4_096, Math.floor(window / 4))
