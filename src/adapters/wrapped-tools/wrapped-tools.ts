/**
 * Tools that `.tool` files describe, on top of other tools. This folder reads files and makes calls of them; it runs
 * nothing itself, and knows no permission: both are the business of the tool that a file is built on.
 */
import type { Log } from '../../chat/ports.ts'
import { createSerial } from '../../lib/jobs/serial.ts'
import type { Tool, ToolSource } from '../../tools/tool.ts'
import type { Definition, ToolFileProblem, Replaced } from './definition.ts'
import { loadToolFiles } from './load.ts'
import { missingPrograms } from './programs.ts'
import { resolveTools, type Bases } from './resolve.ts'
import { watchDirectories } from './watch.ts'

/** What the `.tool` files are read with. */
export interface WrappedToolsOptions {
  /** Searched for `*.tool` files; a file in an earlier directory takes the place of those in later ones. */
  readonly dirs: readonly string[]
  readonly bases: Bases
}

/** The tools that `.tool` files describe. Reloads by itself when a file changes, until it is disposed of. */
export interface WrappedTools extends ToolSource, AsyncDisposable {
  /** What keeps files out, in their order. */
  problems(): readonly ToolFileProblem[]
  /** What is odd in files that are used all the same. */
  warnings(): readonly ToolFileProblem[]
  /** Files that others took the place of. */
  replaced(): readonly Replaced[]
  /**
   * Reads all files again, with other options where these are given; what was there stays until all is read. A file that
   * cannot be used any more stays as it was. Never rejects.
   */
  reload(options?: WrappedToolsOptions): Promise<void>
}

/** What one reading has found. */
interface Reading {
  readonly definitions: readonly Definition[]
  readonly tools: readonly Tool[]
  readonly problems: readonly ToolFileProblem[]
  readonly warnings: readonly ToolFileProblem[]
  readonly replaced: readonly Replaced[]
}

/** Reads the files for the first time, and resolves when that is done. Never rejects. */
export async function createWrappedTools({
  log,
  ...first
}: WrappedToolsOptions & { readonly log: Log }): Promise<WrappedTools> {
  const oneByOne = createSerial()
  const tell = createTeller(log)
  let options: WrappedToolsOptions = first
  let current: Reading = { definitions: [], tools: [], problems: [], warnings: [], replaced: [] }

  async function read(): Promise<void> {
    current = await readOnce(options, current.definitions, log)
    tell(current)
  }

  const watch = (): Promise<AsyncDisposable> => watchDirectories(options.dirs, () => void oneByOne(read), log)
  let watching = await watch()
  await oneByOne(read)
  return {
    group: 'wrapped',
    name: 'wrapped',
    tools: () => current.tools,
    problems: () => current.problems,
    warnings: () => current.warnings,
    replaced: () => current.replaced,
    reload: (changed = options) =>
      oneByOne(async () => {
        const sameDirs = JSON.stringify(changed.dirs) === JSON.stringify(options.dirs)
        options = changed
        if (!sameDirs) {
          await watching[Symbol.asyncDispose]()
          watching = await watch()
        }
        await read()
      }),
    async [Symbol.asyncDispose]() {
      await oneByOne(async () => await watching[Symbol.asyncDispose]())
    },
  }
}

async function readOnce(
  { dirs, bases }: WrappedToolsOptions,
  before: readonly Definition[],
  log: Log,
): Promise<Reading> {
  const loaded = await loadToolFiles(dirs, before)
  const resolved = resolveTools(loaded.definitions, bases, await missingPrograms(loaded.definitions))
  for (const left of resolved.skipped) log.debug(left, 'a .tool file is left out')
  return {
    definitions: loaded.definitions,
    tools: resolved.tools,
    problems: [...loaded.problems, ...resolved.problems],
    warnings: loaded.warnings,
    replaced: [...loaded.replaced, ...resolved.replaced],
  }
}

/** Logs what is wrong each time, and what is only good to know once. */
function createTeller(log: Log): (reading: Reading) => void {
  const told = new Set<string>()
  const once = (facts: ToolFileProblem | Replaced, message: string): void => {
    const key = JSON.stringify(facts)
    if (!told.has(key)) log.info(facts, message)
    told.add(key)
  }
  return ({ problems, warnings, replaced }) => {
    for (const problem of problems) log.warn(problem, 'a .tool file cannot be used')
    for (const warning of warnings) once(warning, 'a .tool file has something odd')
    for (const pair of replaced) once(pair, 'a .tool file takes the place of another')
  }
}
