import { posix } from 'node:path'
import type { Sources } from '../metrics/source-files.ts'

/**
 * Folders in `src` that do not say what they are for. Their `index.ts` says it, else `ports.ts`, else the file with the
 * folder's name; in a folder with none of these any file may. It begins with a comment that is not about the import, or the
 * declaration, that follows it.
 */
export function silentFolders(sources: Sources): readonly string[] {
  const files = [...sources].filter(([path]) => path.startsWith('src/') && path.endsWith('.ts'))
  const folders = new Set(files.map(([path]) => posix.dirname(path)))
  folders.delete('src')
  return [...folders].toSorted().filter((folder) => {
    const inside = new Map(files.filter(([path]) => posix.dirname(path) === folder))
    const first = ['index.ts', 'ports.ts', `${posix.basename(folder)}.ts`]
      .map((name) => inside.get(`${folder}/${name}`))
      .find((text) => text !== undefined)
    return ![...(first === undefined ? inside.values() : [first])].some((text) => OWN_COMMENT.test(text))
  })
}

/** A comment at the very beginning, and then imports, further comments or an empty line. */
const OWN_COMMENT = /^(?:\/\*\*(?:(?!\*\/)[^])*\*\/\n|(?:\/\/.*\n)+)(?=\n|import |\/\*\*)/
