import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import glob from 'fast-glob'
import { bytes } from '../../lib/bytes.ts'
import { errorCode } from '../../lib/errors.ts'
import type { Definition, ToolFileProblem, Replaced } from './definition.ts'
import { parseToolFile } from './parse.ts'

/** A tool is described in a page or two; a larger file is not one. */
const MAX_FILE_BYTES = 64 * 1024

/** Every `.tool` file of some directories, read. */
export interface Loaded {
  /** Directory by directory, those of one sorted by file name. */
  readonly definitions: readonly Definition[]
  readonly problems: readonly ToolFileProblem[]
  readonly warnings: readonly ToolFileProblem[]
  readonly replaced: readonly Replaced[]
  /** True if all directories are there and could be read. */
  readonly complete: boolean
}

/**
 * Reads the `.tool` files of these directories, not of those inside them. A file takes the place of all that are called
 * the same (in whatever case) in later directories, even if it cannot be used: it may be there to forbid something.
 * A file that cannot be used now and could `before` stays as it was. Never rejects.
 */
export async function loadToolFiles(
  dirs: readonly string[],
  before: readonly Definition[] = [],
): Promise<Loaded> {
  const found = await Promise.all([...new Set(dirs.map((dir) => resolve(dir)))].map(filesIn))
  const { files, replaced } = firstOfEach(found.flatMap((each) => each.files))
  const parsed = await Promise.all(files.map(parseFile))
  const usable = parsed.flatMap((each, index) =>
    'definition' in each ? [each.definition] : before.filter(({ file }) => file === files[index]),
  )
  return {
    definitions: usable,
    problems: [...found, ...parsed].flatMap((each) => ('problems' in each ? each.problems : [])),
    warnings: [...found, ...parsed].flatMap((each) => each.warnings),
    replaced,
    complete: found.every(({ problems, warnings }) => problems.length + warnings.length === 0),
  }
}

function firstOfEach(files: readonly string[]) {
  const first = new Map<string, string>()
  const kept: string[] = []
  const replaced: Replaced[] = []
  for (const file of files) {
    const name = basename(file).toLowerCase()
    const by = first.get(name)
    if (by !== undefined && dirname(by) !== dirname(file)) replaced.push({ file, by })
    else kept.push(file)
    if (by === undefined) first.set(name, file)
  }
  return { files: kept, replaced }
}

/** Compares paths by file name and code unit, so that the order is the same under every locale. */
export function byFileName(a: string, b: string): number {
  const [left, right] = [basename(a), basename(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

/** The files of one directory. One that is not there may come later: that is no problem. */
async function filesIn(dir: string): Promise<FoundFiles> {
  try {
    if (!(await stat(dir)).isDirectory()) return unusable(dir, 'is not a directory')
    // fast-glob takes each backslash for a slash, and would find nothing without a word.
    if (dir.includes('\\')) return unusable(dir, 'has a backslash in its path; rename it')
    const names = await glob('*.tool', { cwd: dir, onlyFiles: false })
    const paths = names.map((name) => join(dir, name)).toSorted(byFileName)
    const isFile = await Promise.all(paths.map(isNoDirectory))
    return { files: paths.filter((_, index) => isFile[index]), problems: [], warnings: [] }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return notThere(dir)
    return unusable(dir, `cannot be read (${errorCode(error) ?? String(error)})`)
  }
}

/** True also for a link that leads nowhere: reading it says what is wrong. */
const isNoDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isFile(),
    () => true,
  )

interface FoundFiles {
  readonly files: readonly string[]
  readonly problems: readonly ToolFileProblem[]
  readonly warnings: readonly ToolFileProblem[]
}

const unusable = (dir: string, why: string): FoundFiles => ({
  files: [],
  problems: [{ file: dir, line: 1, message: `the directory ${why}` }],
  warnings: [],
})

const notThere = (dir: string): FoundFiles => ({
  files: [],
  problems: [],
  warnings: [{ file: dir, line: 1, message: 'the directory is not there yet; it is read as soon as it is' }],
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
