import { posix } from 'node:path'
import type { Sources } from '../metrics/source-files.ts'

/** What a page may name: all files by their paths from the root of the repository, and the text of those that declare things. */
export interface Named {
  readonly paths: readonly string[]
  readonly sources: Sources
}

/**
 * One sentence for each thing that a page names in vain. A page names a file or a folder by its path from the root; a file of a
 * folder that the same row or paragraph has named, or of `src` itself, by its name alone; and what a file declares as "`name` in `path/of/file.ts`",
 * or "`one` and `other` in `path/of/file.ts`".
 */
export function namedInVain(page: string, text: string, { paths, sources }: Named): readonly string[] {
  const all = withFolders(paths)
  return rowsAndParagraphs(text).flatMap((part) => [
    ...missingPaths(part, all).map((path) => `${page}: there is no ${path}`),
    ...missingNames(part, sources).map(([name, path]) => `${page}: ${path} declares no ${name}`),
  ])
}

function withFolders(files: readonly string[]): ReadonlySet<string> {
  const paths = new Set<string>()
  for (const file of files) for (let path = file; path !== '.'; path = posix.dirname(path)) paths.add(path)
  return paths
}

const rowsAndParagraphs = (text: string): readonly string[] => text.split(/\n(?=\|)|\n\n/)

const PATH = /`((?:src|lua|test|docs|migrations|wrapped-tools)\/[^`]*|[\w.-]+\.(?:ts|lua|sql))`/g

/** What somebody is going to add is called x, and is not there yet. */
const TO_BE_ADDED = /(?:^|\/)x(?:\.\w+|\/)$|\bX\.tool$/

/** Where any of these is meant, no folder is named. */
const OF_MANY_FOLDERS: ReadonlySet<string> = new Set(['index.ts', 'ports.ts'])

function missingPaths(part: string, paths: ReadonlySet<string>): readonly string[] {
  const named = [...part.matchAll(PATH)]
    .map(([, path = '']) => path)
    .filter((path) => !TO_BE_ADDED.test(path) && !OF_MANY_FOLDERS.has(path))
  const fromRoot = named.filter((path) => path.includes('/')).map(beforePattern)
  const folders = ['src', ...fromRoot.flatMap((path) => [path, posix.dirname(path)])]
  const isThere = (path: string): boolean =>
    path.includes('/')
      ? paths.has(beforePattern(path))
      : folders.some((folder) => paths.has(posix.join(folder, path)))
  return named.filter((path) => !isThere(path))
}

/** `lua/layers` of `lua/layers/*.lua`, and a folder without the slash behind it. */
const beforePattern = (path: string): string => path.replace(/\/?(?:\*.*)?$/, '')

const NAMES_IN_FILE = /((?:`\w+`(?:, and |, | and | or ))*`\w+`) in `([^`]+\.(?:ts|lua))`/g

function missingNames(part: string, sources: Sources): readonly (readonly [name: string, path: string])[] {
  return [...part.matchAll(NAMES_IN_FILE)].flatMap(([, names = '', path = '']) =>
    [...names.matchAll(/`(\w+)`/g)].flatMap(([, name = '']) =>
      declares(sources.get(path) ?? '', name) ? [] : [[name, path] as const],
    ),
  )
}

/** Whether a text declares a constant, a function, a type, a field or a method of that name: one that it only calls is not its own. */
function declares(text: string, name: string): boolean {
  const declared = new RegExp(`\\b(?:function|local|const|let|class|interface|type) ${name}\\b`)
  const ofObject = new RegExp(`^ +(?:readonly |async )*${name}\\??(?:[:<]|\\((?:$|.*(?:\\{$|\\): )))`, 'm')
  return declared.test(text) || ofObject.test(text)
}
