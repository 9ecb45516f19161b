import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import glob from 'fast-glob'
import type { Sources } from './size.ts'

const FILES = ['{src,test}/**/*.ts', '{lua,wrapped-tools}/**/*', 'docs/**/*.md', '*.md']

/** Reads what the project writes: code, Lua, wrapped tools and pages. Rejects with the file system's error. */
export async function readSources(root: string): Promise<Sources> {
  const paths = await glob(FILES, { cwd: root, ignore: ['test/checks/**', 'test/.built/**'] })
  const read = async (path: string) => [path, await readFile(join(root, path), 'utf8')] as const
  return new Map(await Promise.all(paths.toSorted().map(read)))
}
