import { readdir } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import glob from 'fast-glob'
import { bytes } from '../../base/amounts.ts'
import { errorCode } from '../../base/errors.ts'
import {
  parseToolFile,
  type ParsedToolFile,
  type ReplacedToolFile,
  type ToolFile,
  type ToolFileProblem,
} from './parse.ts'

const MAX_FILE_BYTES = 64 * 1024

export interface LoadedToolFiles {
  /** Directory by directory, each sorted by file name. */
  readonly definitions: readonly ToolFile[]
  readonly problems: readonly ToolFileProblem[]
  readonly warnings: readonly ToolFileProblem[]
  readonly replaced: readonly ReplacedToolFile[]
  /** True if all directories exist and could be read. */
  readonly complete: boolean
}

/**
 * Reads the `.tool` files of these directories, without subdirectories. A file replaces files of its name (in
 * any case) in later directories even if it is broken: it may be there to forbid something. A broken file
 * that is in `before` keeps that version. Never rejects.
 */
export async function loadToolFiles(
  dirs: readonly string[],
  before: readonly ToolFile[] = [],
): Promise<LoadedToolFiles> {
  const found = await Promise.all([...new Set(dirs.map((dir) => resolve(dir)))].map(findFiles))
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

/** The result changes with the directories' `.tool` files: names, inodes, sizes, times. Never rejects. */
export async function fingerprint(dirs: readonly string[]): Promise<string> {
  const facts = (path: string): Promise<string> =>
    stat(path).then(({ ino, size, ctimeMs }) => `${path} ${ino} ${size} ${ctimeMs}`, failure)
  const found = dirs.map(async (dir) => {
    const paths = await listToolFiles(dir).catch(failure)
    return typeof paths === 'string' ? paths : Promise.all(paths.map(facts))
  })
  return JSON.stringify(await Promise.all(found))
}

/** Compares paths by file name and code unit, so that the order is the same in every locale. */
export function byFileName(a: string, b: string): number {
  const [left, right] = [basename(a), basename(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

function firstOfEach(files: readonly string[]) {
  const first = new Map<string, string>()
  const kept: string[] = []
  const replaced: ReplacedToolFile[] = []
  for (const file of files) {
    const name = basename(file).toLowerCase()
    const by = first.get(name)
    if (by !== undefined && dirname(by) !== dirname(file)) replaced.push({ file, by })
    else kept.push(file)
    if (by === undefined) first.set(name, file)
  }
  return { files: kept, replaced }
}

interface FoundFiles {
  readonly files: readonly string[]
  readonly problems: readonly ToolFileProblem[]
  readonly warnings: readonly ToolFileProblem[]
}

/** A missing directory may be created later, and is no problem. */
async function findFiles(dir: string): Promise<FoundFiles> {
  try {
    const paths = await listToolFiles(dir)
    const isFile = await Promise.all(paths.map(isNoDirectory))
    return { files: paths.filter((_, index) => isFile[index]), problems: [], warnings: [] }
  } catch (error) {
    const code = failure(error)
    const message = 'the directory is not there yet; it is read as soon as it is'
    if (code === 'ENOENT') return { files: [], problems: [], warnings: [{ file: dir, line: 1, message }] }
    const why = code === 'ENOTDIR' ? 'is not a directory' : `cannot be read (${code})`
    return { files: [], problems: [{ file: dir, line: 1, message: `the directory ${why}` }], warnings: [] }
  }
}

/** Returns the paths of all entries `*.tool` that are not hidden, by name. Rejects with system errors. */
export async function listToolFiles(dir: string): Promise<readonly string[]> {
  // By itself, fast-glob takes a backslash in the directory's path for a slash.
  const fs = { readdir: (_: string, ...rest: unknown[]) => void Reflect.apply(readdir, null, [dir, ...rest]) }
  const names = await glob('*.tool', { cwd: dir, onlyFiles: false, fs })
  // fast-glob takes a missing directory for an empty one.
  if (names.length === 0) await stat(dir)
  return names.toSorted(byFileName).map((name) => join(dir, name))
}

/** True also for a dangling link: reading it reports the problem. */
const isNoDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isFile(),
    () => true,
  )

async function parseFile(file: string): Promise<ParsedToolFile> {
  try {
    const { size } = await stat(file)
    if (size > MAX_FILE_BYTES)
      return unreadable(file, `it has ${bytes(size)}; a .tool file has at most ${bytes(MAX_FILE_BYTES)}`)
    return parseToolFile(new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file)), file)
  } catch (error) {
    if (error instanceof TypeError) return unreadable(file, 'it is not UTF-8 text')
    return unreadable(file, `it cannot be read (${failure(error)})`)
  }
}

const failure = (error: unknown): string => errorCode(error) ?? String(error)

const unreadable = (file: string, message: string) => ({
  problems: [{ file, line: 1, message }],
  warnings: [],
})
