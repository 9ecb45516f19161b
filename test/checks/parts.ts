/** Parts are the folders at the top of src; what others import of one stands in its doors, each an `index.ts`. */
import { parseSync } from 'oxc-parser'
import type { Sources } from './size.ts'

const MAX_LINES = 12_000
/** The part that joins the others decides little, so it is small. */
const MAX_LINES_OF_SERVER = 7_000
const MAX_NAMES = 60

/** One sentence for each part that is too large to be learned by itself. */
export function largeParts(sources: Sources): readonly string[] {
  const lines = new Map<string, number>()
  for (const [path, text] of sources) {
    const part = /^src\/([^/]+)\//.exec(path)?.[1]
    if (part !== undefined) lines.set(part, (lines.get(part) ?? 0) + text.split('\n').length - 1)
  }
  return [...lines].flatMap(([part, count]) => {
    const most = part === 'server' ? MAX_LINES_OF_SERVER : MAX_LINES
    return count > most ? [`src/${part}: ${count} lines; at most ${most} in this part`] : []
  })
}

/** One sentence for each door that shows too many names, or does not say which. */
export function wideDoors(sources: Sources): readonly string[] {
  return [...sources].flatMap(([path, text]) => {
    if (!/^src\/.+\/index\.ts$/.test(path)) return []
    const exports = parseSync(path, text).module.staticExports.flatMap(({ entries }) => entries)
    const names = exports.filter(({ exportName }) => exportName.name !== null).length
    return [
      ...(names > MAX_NAMES ? [`${path}: ${names} names; a door has at most ${MAX_NAMES}`] : []),
      ...(names < exports.length ? [`${path}: export * says nothing; name what others may import`] : []),
    ]
  })
}
