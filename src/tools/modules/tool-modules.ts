/**
 * Tools that an admin's JavaScript modules export. A module runs inside the server with all of its rights:
 * this folder loads what the config names, and confines nothing. It has no tools of its own and knows no
 * permission.
 */
import { randomUUID } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { isReservedToolId } from '../../words/tool-words.ts'
import type { Log } from '../../base/environment.ts'
import { errorMessage } from '../../base/errors.ts'
import { defineTool, aFunction, isRun, plainFields, toolFields } from '../define-tool.ts'
import type { Tool, ToolSource } from '../tool.ts'

export interface ModuleProblem {
  readonly file: string
  /** 1-based; 1 if the line is unknown. */
  readonly line: number
  /** One line. */
  readonly message: string
}

export interface ToolModulesOptions {
  /** Absolute paths, in the order in which their tools are listed. */
  readonly files: readonly string[]
  /** Names of other tools, in any case. */
  readonly taken: ReadonlySet<string>
}

export interface ToolModules extends ToolSource {
  /** Reasons why modules or tools are left out, in order. */
  problems(): readonly ModuleProblem[]
  /** Loads all modules again; a module that cannot be loaded any more stays as it was. Never rejects. */
  reload(options: ToolModulesOptions): Promise<void>
}

/** Load time limit in ms: a module that waits for ever must not keep the server from starting. */
const MAX_LOAD_MS = 10_000

/** Loads the modules, and resolves when that is done. Never rejects. */
export async function createToolModules(
  options: ToolModulesOptions & { readonly log: Log },
): Promise<ToolModules> {
  const { log } = options
  let loaded: ReadonlyMap<string, Exported> = new Map()
  let tools: readonly Tool[] = []
  let problems: readonly ModuleProblem[] = []

  async function load({ files, taken }: ToolModulesOptions): Promise<void> {
    const found: ModuleProblem[] = []
    const next = new Map<string, Exported>()
    for (const file of new Set(files)) {
      const result = await loadModule(file)
      const exported = 'message' in result ? loaded.get(file) : result
      if ('message' in result) found.push(result)
      if (exported) next.set(file, exported)
    }
    const chosen = chooseIds(next, taken)
    loaded = next
    tools = chosen.tools
    problems = [...found, ...chosen.problems]
    for (const problem of problems) log.warn({ ...problem }, 'a tool module cannot be used')
  }

  await load(options)
  return { group: 'module', name: 'module', tools: () => tools, problems: () => problems, reload: load }
}

/** Node keeps a module for the life of the process, so each load has an address of its own. */
async function loadModule(file: string): Promise<Exported | ModuleProblem> {
  let timer: NodeJS.Timeout | undefined
  try {
    const loading: Promise<Readonly<Record<string, unknown>>> = import(
      `${pathToFileURL(file).href}?load=${randomUUID()}`
    )
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error(`it was not loaded within ${MAX_LOAD_MS / 1000} s`)),
        MAX_LOAD_MS,
      )
    })
    return exportedTools(await Promise.race([loading, late]))
  } catch (error) {
    return { file, line: findLine(error, file), message: `it cannot be loaded: ${firstLine(error)}` }
  } finally {
    clearTimeout(timer)
  }
}

const firstLine = (error: unknown): string =>
  errorMessage(error)
    .replace(/\?load=[\w-]+/g, '')
    .split('\n', 1)[0]
    ?.trim() || 'it failed without saying why'

function findLine(error: unknown, file: string): number {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const address = pathToFileURL(file).href
  const at = stack.indexOf(address)
  const line = /^[^:\s]*:(\d+)/.exec(at < 0 ? '' : stack.slice(at + address.length))?.[1]
  return Number(line ?? 1)
}

/** Treats ids that differ only in case as one: people and models would confuse them. */
function chooseIds(loaded: ReadonlyMap<string, Exported>, taken: ReadonlySet<string>) {
  const others = new Set([...taken].map((name) => name.toLowerCase()))
  const owners = new Map<string, string>()
  const tools: Tool[] = []
  const problems: ModuleProblem[] = []
  for (const [file, exported] of loaded) {
    const report = (message: string): void => void problems.push({ file, line: 1, message })
    exported.problems.forEach(report)
    for (const tool of exported.tools) {
      const name = tool.id.toLowerCase()
      const owner = others.has(name) ? 'a tool of the server' : owners.get(name)
      if (owner !== undefined) report(`the id ${tool.id} is taken by ${owner}; choose another`)
      else tools.push(tool)
      if (owner === undefined) owners.set(name, file)
    }
  }
  return { tools, problems }
}

/** The tools of a module, and the problems of its other exports. */
interface Exported {
  readonly tools: readonly Tool[]
  readonly problems: readonly string[]
}

const id = toolFields.id.refine((text) => !isReservedToolId(text), 'is reserved; choose another')

/** A finished tool, from any copy of `defineTool`. */
const toolSchema = z.looseObject({
  ...toolFields,
  id,
  title: z.string(),
  schema: z.looseObject({ type: z.literal('object') }),
  run: aFunction,
  asks: aFunction.optional(),
})

/** The property `tool` of a plain function. */
const plainSchema = z.strictObject({ ...plainFields, id, parameters: plainFields.parameters.default({}) })

/** Reads tools, functions with a property `tool`, and lists of both. Ignores a module's other exports. */
function exportedTools(exports: Readonly<Record<string, unknown>>): Exported {
  const found = new Map<unknown, string>()
  for (const [name, value] of Object.entries(exports)) {
    const list: readonly unknown[] = Array.isArray(value) ? value : [value]
    for (const one of list) if (!found.has(one)) found.set(one, name)
  }
  const read = [...found].flatMap(([value, name]) => readTool(name, value) ?? [])
  const tools = read.flatMap((one) => (typeof one === 'string' ? [] : [one]))
  const problems = read.filter((one) => typeof one === 'string')
  if (read.length > 0) return { tools, problems }
  return { tools: [], problems: ['it exports no tool: see defineTool, or give a function a property `tool`'] }
}

/** Returns a tool, what is wrong with it, or undefined for a value that is not meant as one. */
function readTool(name: string, value: unknown): Tool | string | undefined {
  if (isRun(value)) return 'tool' in value ? fromFunction(name, value, value.tool) : undefined
  if (typeof value !== 'object' || value === null || !('run' in value)) return undefined
  const { error } = toolSchema.safeParse(value)
  if (error) return `export ${name}: ${describeIssues(error)}`
  return isTool(value) ? value : undefined
}

const isTool = (value: unknown): value is Tool => toolSchema.safeParse(value).success

function fromFunction(name: string, run: z.output<typeof aFunction>, said: unknown): Tool | string {
  const named = typeof said === 'object' && said !== null ? { id: run.name || name, ...said } : said
  const { data, error } = plainSchema.safeParse(named)
  if (error) return `export ${name}: tool.${describeIssues(error)}`
  try {
    return defineTool({ ...data, run })
  } catch (trouble) {
    return `export ${name}: ${errorMessage(trouble)}`
  }
}

const describeIssues = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`).join('; ')
