import type { CatalogueTool } from '../snapshot.ts'

/** Gives what `make` made before for this list of tools and this key, which says all else that it depends on. */
export type OncePerTools<T> = (tools: readonly CatalogueTool[], key: string, make: () => T) => T

/** Results that are kept for one list. */
const MAX_KEPT = 4

/** Keeps the newest results of each list, for as long as the list lives. */
export function createOncePerTools<T>(): OncePerTools<T> {
  const lists = new WeakMap<readonly CatalogueTool[], Map<string, { readonly made: T }>>()
  return (tools, key, make) => {
    const known = lists.get(tools) ?? new Map<string, { readonly made: T }>()
    lists.set(tools, known)
    const found = known.get(key) ?? { made: make() }
    known.delete(key)
    known.set(key, found)
    const oldest = known.size > MAX_KEPT ? known.keys().next().value : undefined
    if (oldest !== undefined) known.delete(oldest)
    return found.made
  }
}
