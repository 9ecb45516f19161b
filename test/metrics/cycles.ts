import type { FileFacts } from './parse-file.ts'

/** Groups of files that import each other in a ring, types included; empty where no file reaches itself. */
export function importCycles(files: readonly FileFacts[]): readonly (readonly string[])[] {
  const imports = new Map(files.map((file) => [file.path, file.imports]))
  const reach = new Map(files.map(({ path }) => [path, reachable(path, imports)]))
  const inCycle = files.map((file) => file.path).filter((path) => reach.get(path)?.has(path))
  const groups = new Map<string, string[]>()
  for (const path of inCycle) {
    const first = inCycle.find((other) => reach.get(path)?.has(other) && reach.get(other)?.has(path)) ?? path
    groups.set(first, [...(groups.get(first) ?? []), path])
  }
  return [...groups.values()]
}

/** Every file that is imported from a file, by however many others between; the file itself only if it is in a ring. */
function reachable(path: string, imports: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set<string>()
  const waiting = [...(imports.get(path) ?? [])]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue
    found.add(next)
    waiting.push(...(imports.get(next) ?? []))
  }
  return found
}
