/** Gives what `make` made before for this object and this key, which says all else that the result depends on. */
export type MemoizePer<Of extends object, T> = (of: Of, key: string, make: () => T) => T

/** Results that are kept of one object; of more keys the oldest goes first. */
const MAX_KEPT = 4

/** Keeps results as long as their object lives. */
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
