/**
 * Tools that `.tool` files describe, on top of other tools. This folder turns files into tools; it runs
 * nothing itself and knows no permission: both belong to the base tool.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../base/environment.ts'
import { createSerial } from '../../base/jobs/serial.ts'
import type { Tool, ToolSource } from '../tool.ts'
import { fingerprint, loadToolFiles } from './load.ts'
import type { ReplacedToolFile, ToolFile, ToolFileProblem } from './parse.ts'
import { missingPrograms, resolveTools, type Bases } from './resolve.ts'

export interface WrappedToolsOptions {
  /** Searched for `*.tool` files; a file in an earlier directory replaces files of its name in later ones. */
  readonly dirs: readonly string[]
  readonly bases: Bases
}

/** The tools of `.tool` files. Checks for changes every 2 s until disposed; keeps no process alive. */
export interface WrappedTools extends ToolSource, AsyncDisposable {
  /** Reasons why files are left out, in the order of the files. */
  problems(): readonly ToolFileProblem[]
  /** Oddities of files that are still used. */
  warnings(): readonly ToolFileProblem[]
  replaced(): readonly ReplacedToolFile[]
  /** Reads all files again. A file that became unusable keeps its last good version. Never rejects. */
  reload(options?: WrappedToolsOptions): Promise<void>
}

export interface ToolFiles {
  readonly tools: readonly Tool[]
  /** Reasons why files are left out. */
  readonly problems: readonly ToolFileProblem[]
  /** Oddities of files that are still used. */
  readonly warnings: readonly ToolFileProblem[]
}

interface Reading extends ToolFiles {
  readonly files: readonly ToolFile[]
  readonly replaced: readonly ReplacedToolFile[]
}

/** Resolves after the first reading. Never rejects. */
export async function createWrappedTools({
  log,
  pollMs = 2000,
  ...first
}: WrappedToolsOptions & { readonly log: Log; readonly pollMs?: number }): Promise<WrappedTools> {
  const oneByOne = createSerial()
  const ended = new AbortController()
  const logReading = createReadingLog(log)
  let options: WrappedToolsOptions = first
  let current: Reading = { files: [], tools: [], problems: [], warnings: [], replaced: [] }
  let known: string

  async function read(): Promise<void> {
    // Computed before the files are read, so that the next poll sees a change in between.
    known = await fingerprint(options.dirs)
    current = await readOnce(options, current.files, log)
    logReading(current)
  }

  async function poll(): Promise<void> {
    while (!ended.signal.aborted) {
      await sleep(pollMs, undefined, { ref: false, signal: ended.signal }).catch(() => undefined)
      await oneByOne(async () => {
        if (!ended.signal.aborted && (await fingerprint(options.dirs)) !== known) await read()
      })
    }
  }

  await oneByOne(read)
  const polling = poll()
  return {
    group: 'wrapped',
    name: 'wrapped',
    tools: () => current.tools,
    problems: () => current.problems,
    warnings: () => current.warnings,
    replaced: () => current.replaced,
    reload: (changed = options) =>
      oneByOne(async () => {
        options = changed
        await read()
      }),
    async [Symbol.asyncDispose]() {
      ended.abort()
      await polling
    },
  }
}

/**
 * Reads the `.tool` files of these directories once, for a program. Files can build on the tools in `bases`.
 * Never rejects.
 */
export async function readToolFiles(dirs: readonly string[], bases: readonly Tool[]): Promise<ToolFiles> {
  const ids = bases.map(({ id }) => id)
  const { tools, problems, warnings } = await readOnce({
    dirs,
    bases: { tools: bases, ids, kept: [], disabled: [] },
  })
  return { tools, problems, warnings }
}

async function readOnce(
  { dirs, bases }: WrappedToolsOptions,
  before: readonly ToolFile[] = [],
  log?: Log,
): Promise<Reading> {
  const loaded = await loadToolFiles(dirs, before)
  const resolved = resolveTools(loaded.definitions, bases, await missingPrograms(loaded.definitions))
  for (const left of resolved.skipped) log?.debug(left, 'a .tool file is left out')
  return {
    files: loaded.definitions,
    tools: resolved.tools,
    problems: [...loaded.problems, ...resolved.problems],
    warnings: loaded.warnings,
    replaced: [...loaded.replaced, ...resolved.replaced],
  }
}

/** Logs problems at each reading; logs warnings and replacements once. */
function createReadingLog(log: Log): (reading: Reading) => void {
  const logged = new Set<string>()
  const logOnce = (found: ToolFileProblem | ReplacedToolFile, message: string): void => {
    const key = JSON.stringify(found)
    if (!logged.has(key)) log.info(found, message)
    logged.add(key)
  }
  return ({ problems, warnings, replaced }) => {
    for (const problem of problems) log.warn(problem, 'a .tool file cannot be used')
    for (const warning of warnings) logOnce(warning, 'a .tool file has something odd')
    for (const pair of replaced) logOnce(pair, 'a .tool file takes the place of another')
  }
}
