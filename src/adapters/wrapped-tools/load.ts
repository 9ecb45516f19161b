import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { bytes } from '../../lib/bytes.ts'
import { errorCode } from '../../lib/errors.ts'
import type { Definition, Problem } from './definition.ts'
import { parseToolFile } from './parse.ts'

/** A tool is described in a page or two; a larger file is not one. */
const MAX_FILE_BYTES = 64 * 1024

/** Every `.tool` file of some directories, read. */
export interface Loaded {
  /** Sorted by file name, then in the order of the directories. */
  readonly definitions: readonly Definition[]
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
}

/** Reads the `.tool` files of these directories, not of those inside them. Never rejects. */
export async function loadToolFiles(dirs: readonly string[]): Promise<Loaded> {
  const found = await Promise.all(dirs.map(filesIn))
  const files = found.flatMap((each) => each.files).toSorted(byName)
  const parsed = await Promise.all(files.map(parseFile))
  return {
    definitions: parsed.flatMap((each) => ('definition' in each ? [each.definition] : [])),
    problems: [...found, ...parsed].flatMap((each) => ('problems' in each ? each.problems : [])),
    warnings: parsed.flatMap((each) => each.warnings),
  }
}

/** By code unit, so that the order is the same under every locale. */
function byName(a: string, b: string): number {
  const [left, right] = [basename(a), basename(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

async function filesIn(dir: string): Promise<{ files: readonly string[]; problems: readonly Problem[] }> {
  try {
    if (!(await stat(dir)).isDirectory()) return unusable(dir, 'is not a directory')
    const names = (await readdir(dir)).filter((name) => /^[^.].*\.tool$/.test(name))
    const files = names.map((name) => join(dir, name))
    const areFiles = await Promise.all(files.map(isFile))
    return { files: files.filter((_, index) => areFiles[index]), problems: [] }
  } catch (error) {
    return unusable(dir, `cannot be read (${errorCode(error) ?? String(error)})`)
  }
}

/** What cannot be looked at counts: reading it says why. */
const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isFile() ?? true

const unusable = (dir: string, why: string) => ({
  files: [],
  problems: [{ file: dir, line: 1, message: `the directory ${why}` }],
})

async function parseFile(file: string): Promise<ReturnType<typeof parseToolFile>> {
  try {
    const { size } = await stat(file)
    if (size > MAX_FILE_BYTES)
      return unreadable(file, `it has ${bytes(size)}; a .tool file has at most ${bytes(MAX_FILE_BYTES)}`)
    return parseToolFile(new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file)), file)
  } catch (error) {
    if (error instanceof TypeError) return unreadable(file, 'it is not UTF-8 text')
    return unreadable(file, `it cannot be read (${errorCode(error) ?? String(error)})`)
  }
}

const unreadable = (file: string, message: string) => ({
  problems: [{ file, line: 1, message }],
  warnings: [],
})
