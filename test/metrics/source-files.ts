import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import glob from 'fast-glob'

/** The text of each file by its path from the package's root, with `/` between folders. */
export type Sources = ReadonlyMap<string, string>

/** Reads all TypeScript of `src` and `test`, and the Lua that is shipped. Rejects with the file system's error. */
export async function readSources(root: string): Promise<Sources> {
  const paths = await glob(['{src,test}/**/*.ts', 'lua/**/*.lua'], { cwd: root })
  const read = async (path: string) => [path, await readFile(join(root, path), 'utf8')] as const
  return new Map(await Promise.all(paths.toSorted().map(read)))
}
