/** Gives what `make` made before of this object and this key, which says all else that it depends on. */
export type OncePer<Of extends object, T> = (of: Of, key: string, make: () => T) => T

/** Results that are kept of one object. */
const MAX_KEPT = 4

/** Keeps the newest results of each object, for as long as the object lives. */
export function createOncePer<Of extends object, T>(): OncePer<Of, T> {
  const objects = new WeakMap<Of, Map<string, { readonly made: T }>>()
  return (of, key, make) => {
    const known = objects.get(of) ?? new Map<string, { readonly made: T }>()
    objects.set(of, known)
    const found = known.get(key) ?? { made: make() }
    known.delete(key)
    known.set(key, found)
    const oldest = known.size > MAX_KEPT ? known.keys().next().value : undefined
    if (oldest !== undefined) known.delete(oldest)
    return found.made
  }
}
