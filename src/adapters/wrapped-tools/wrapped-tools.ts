/**
 * Tools that `.tool` files describe, on top of other tools. This folder reads files and makes calls of them; it runs
 * nothing itself, and knows no permission: both are the business of the tool that a file is built on.
 */
import type { Log } from '../../chat/ports.ts'
import { createSerial } from '../../lib/serial.ts'
import type { Tool, ToolSource } from '../../tools/tool.ts'
import type { Problem } from './definition.ts'
import { loadToolFiles } from './load.ts'
import { resolveTools, type Bases } from './resolve.ts'
import { watchDirectories } from './watch.ts'

/** What the `.tool` files are read with. */
export interface WrappedToolsOptions {
  /** Searched for `*.tool` files; of two files that are called the same, the one in the earlier directory wins. */
  readonly dirs: readonly string[]
  readonly bases: Bases
  readonly log: Log
}

/** The tools that `.tool` files describe. Reloads by itself when a file changes, until it is disposed of. */
export interface WrappedTools extends ToolSource, AsyncDisposable {
  /** What keeps files out, in their order. */
  problems(): readonly Problem[]
  /** What is odd in files that are used all the same. */
  warnings(): readonly Problem[]
  /** Reads all files again; what was there stays until all is read. Never rejects. */
  reload(): Promise<void>
}

/** Reads the files for the first time, and resolves when that is done. Never rejects. */
export async function createWrappedTools(options: WrappedToolsOptions): Promise<WrappedTools> {
  const { dirs, bases, log } = options
  const inTurn = createSerial()
  let current: { tools: readonly Tool[]; problems: readonly Problem[]; warnings: readonly Problem[] } = {
    tools: [],
    problems: [],
    warnings: [],
  }

  const reload = (): Promise<void> =>
    inTurn(async () => {
      const loaded = await loadToolFiles(dirs)
      const resolved = resolveTools(loaded.definitions, bases)
      const problems = [...loaded.problems, ...resolved.problems]
      for (const problem of problems) log.warn(problem, 'a .tool file cannot be used')
      for (const warning of loaded.warnings) log.info(warning, 'a .tool file has something odd')
      for (const left of resolved.skipped) log.debug(left, 'a .tool file is left out')
      current = { tools: resolved.tools, problems, warnings: loaded.warnings }
    })

  const watching = await watchDirectories(dirs, () => void reload(), log)
  await reload()
  return {
    group: 'wrapped',
    name: 'wrapped',
    tools: () => current.tools,
    problems: () => current.problems,
    warnings: () => current.warnings,
    reload,
    async [Symbol.asyncDispose]() {
      await watching[Symbol.asyncDispose]()
      await inTurn(() => undefined)
    },
  }
}
