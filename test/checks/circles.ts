/** Circles of imports. A file in a circle can't be understood, tested or moved without the others in it. */
import { posix } from 'node:path'
import { parseSync } from 'oxc-parser'
import { walk } from 'oxc-walker'
import type { Sources } from './size.ts'

/** One sentence for each group of files of src that import one another. Imports of types count. */
export function importCircles(sources: Sources): readonly string[] {
  const imports = new Map(
    [...sources]
      .filter(([path]) => path.startsWith('src/'))
      .map(([path, text]) => [path, importsOf(path, text)] as const),
  )
  const reached = new Map([...imports.keys()].map((path) => [path, reachedFrom(path, imports)] as const))
  return [...reached].flatMap(([path, ahead]) => {
    const circle = [...ahead].filter((other) => reached.get(other)?.has(path)).toSorted()
    return circle[0] === path ? [`a circle of imports: ${circle.join(', ')}`] : []
  })
}

/** All files that a file imports directly or through others. */
function reachedFrom(path: string, imports: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set(imports.get(path))
  for (const next of reached) for (const further of imports.get(next) ?? []) reached.add(further)
  return reached
}

/** The files that a file names in imports, exports and types, as paths from the package's root. */
function importsOf(path: string, text: string): readonly string[] {
  const found: string[] = []
  walk(parseSync(path, text).program, {
    enter(node) {
      const source: unknown = 'source' in node && node.source && Reflect.get(node.source, 'value')
      if (typeof source === 'string' && source.startsWith('.'))
        found.push(posix.join(posix.dirname(path), source))
    },
  })
  return found
}
