import { access, constants } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ACCESSES } from '../../words/tool-words.ts'
import { didYouMean } from '../../base/suggest.ts'
import { unavailable, type Tool } from '../tool.ts'
import { byFileName } from './load.ts'
import { makeAlias, makeWrapped, parameterProblem, type Wrappable } from './make-tool.ts'
import type { ReplacedToolFile, ToolFile, ToolFileProblem } from './parse.ts'

export interface Bases {
  readonly tools: readonly Tool[]
  /** Ids of all built-in tools, configured or not: a file for one that is not configured is no problem. */
  readonly ids: readonly string[]
  /** Names of the rooms' tools, which no file may take. */
  readonly kept: readonly string[]
  /** Ids of disabled tools; tools that build on them are off too. */
  readonly disabled: readonly string[]
}

export interface ResolvedTools {
  /** Sorted by file name. */
  readonly tools: readonly Tool[]
  readonly problems: readonly ToolFileProblem[]
  readonly replaced: readonly ReplacedToolFile[]
  /** Files that are left out because of the config. */
  readonly skipped: readonly { readonly file: string; readonly reason: string }[]
}

/**
 * The first directory with a name wins; two files with one name in one directory are a problem. Files may
 * build on each other in any order. A tool whose program is `missing` is made, but unavailable.
 */
export function resolveTools(
  definitions: readonly ToolFile[],
  bases: Bases,
  missing: ReadonlySet<string>,
): ResolvedTools {
  const problems: ToolFileProblem[] = []
  const skipped: { file: string; reason: string }[] = []
  const builtin = new Map(bases.tools.map((tool) => [tool.id, tool]))
  const made = new Map<string, Tool | undefined>()
  const report = ({ file, line }: ToolFile, message: string): undefined =>
    void problems.push({ file, line, message })
  const skip = ({ file }: ToolFile, reason: string): undefined => void skipped.push({ file, reason })
  const { own, replaced } = chooseNames(definitions, bases, report)

  function make(definition: ToolFile, path: readonly string[]): Tool | undefined {
    const { name } = definition
    if (!made.has(name)) made.set(name, makeOnce(definition, [...path, name]))
    return made.get(name)
  }

  function makeOnce(definition: ToolFile, path: readonly string[]): Tool | undefined {
    const { name, wrapped } = definition
    const disabled = [name, wrapped].find((id) => bases.disabled.includes(id))
    if (disabled !== undefined) return skip(definition, `${disabled} is disabled`)
    if (path.includes(wrapped))
      return report(definition, `@wrapped goes in a circle: ${circle(path, wrapped)}`)
    const file = own.get(wrapped)
    const target = builtin.get(wrapped) ?? (file && make(file, path))
    if (target) return build(definition, target)
    if (bases.ids.includes(wrapped)) return skip(definition, `${wrapped} is not configured`)
    if (file) return report(definition, `${wrapped}, which it builds on, could not be made`)
    return report(definition, unknownBase(wrapped, [...builtin.keys(), ...own.keys()]))
  }

  function build(definition: ToolFile, target: Tool): Tool | undefined {
    const problem = baseMismatch(definition, target)
    if (problem !== undefined) return report(definition, problem)
    const { wrapper } = definition
    if (!wrapper || !isWrappable(target)) return makeAlias(definition, target)
    const tool = makeWrapped(definition, wrapper, target)
    const program = wrapper.words?.[0] ?? ''
    return target.wrapsCommand && missing.has(program)
      ? unavailable(tool, `this machine has no program ${program}`)
      : tool
  }

  const inOrder = [...own.values()].toSorted((a, b) => byFileName(a.file, b.file))
  const tools = inOrder.flatMap((definition) => make(definition, []) ?? [])
  return { tools, problems, skipped, replaced }
}

function chooseNames(
  definitions: readonly ToolFile[],
  { tools, ids, kept }: Bases,
  report: (definition: ToolFile, message: string) => undefined,
) {
  const own = new Map<string, ToolFile>()
  const replaced: ReplacedToolFile[] = []
  for (const definition of definitions) {
    const { file, name } = definition
    const first = own.get(name)
    const base = tools.find(({ id }) => id === name)
    const owner = ids.includes(name) ? 'a built-in tool' : 'a tool of a module ([tools] modules)'
    if (kept.includes(name)) report(definition, `${name} is the name of a tool of the rooms`)
    else if (base && !base.yields) report(definition, `${name} is the name of ${owner}`)
    else if (!first) own.set(name, definition)
    else if (dirname(first.file) !== dirname(file)) replaced.push({ file, by: first.file })
    else report(definition, `${name} is already defined in ${first.file}`)
  }
  return { own, replaced }
}

function baseMismatch({ wrapper, bare }: ToolFile, target: Tool): string | undefined {
  if (!wrapper) {
    return target.wrapsCommand && !bare
      ? `a tool built on ${target.id} needs @command and @param; a plain alias has only @name and @wrapped`
      : undefined
  }
  if (!isWrappable(target))
    return `${target.id} cannot be wrapped; only an alias (@name and @wrapped alone) can be made of it`
  if (target.wrapsCommand && wrapper.words === null) return `a tool built on ${target.id} needs @command`
  if (wrapper.access && ACCESSES.indexOf(wrapper.access) > ACCESSES.indexOf(target.access)) {
    return `@access ${wrapper.access} is more than ${target.id} has (${target.access}); it can only be lowered`
  }
  return target.wrapsCommand ? undefined : parameterProblem(wrapper.parameters, target)
}

const isWrappable = (tool: Tool): tool is Wrappable => tool.wrap !== undefined

const circle = (path: readonly string[], wrapped: string): string =>
  [...path.slice(path.indexOf(wrapped)), wrapped].join(' -> ')

const unknownBase = (wrapped: string, known: readonly string[]): string =>
  `there is no tool called ${wrapped}${didYouMean(wrapped, known)}`

/** PATH of commands (sandbox/launch.ts). */
const PROGRAM_DIRS = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin']

/** Returns the programs of these files that this machine lacks. Does not check paths. */
export async function missingPrograms(definitions: readonly ToolFile[]): Promise<ReadonlySet<string>> {
  const programs = new Set(definitions.flatMap(({ wrapper }) => wrapper?.words?.[0] ?? []))
  const found = await Promise.all([...programs].map(isThere))
  return new Set([...programs].filter((_, index) => !found[index]))
}

async function isThere(program: string): Promise<boolean> {
  if (program.includes('/')) return true
  const tries = await Promise.allSettled(
    PROGRAM_DIRS.map((dir) => access(join(dir, program), constants.X_OK)),
  )
  return tries.some(({ status }) => status === 'fulfilled')
}
