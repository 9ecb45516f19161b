import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setPriority } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { packagesOf } from './engines.ts'
import type { ToolWithoutDefinition } from './definitions-apart.ts'
import type { Response, ResponseLine, Settings } from './process/protocol.ts'
import { createReceiver } from './deduplicate.ts'

export interface ProcessOptions {
  /** The built process/main.ts. */
  readonly entry: string
  /** The directory that has `dist`, `lua` and `node_modules`. */
  readonly packageRoot: string
  readonly settings: Settings
  readonly heapMiB: number
}

/** Packages that the process reads, beside its engine's packages. */
const PACKAGES = ['tiktoken', 'fastest-levenshtein']
const MAX_STDERR_CHARS = 4096
/** Leaves a third of an ordinary process's CPU time, if there is not enough for both (sched(7)). */
const NICENESS = 5
/**
 * Bytes that a WebAssembly function runs before V8 optimizes it. By default (1.8 million in Node 20, 13
 * million in Node 22), a start spends a third of its CPU time on optimizing code that runs once. Repeated
 * code of prompts reaches this number soon.
 */
const TIERING_BUDGET = 100_000_000

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** A wrap process. Answers one request at a time, until it is killed. */
export class WrapProcess {
  readonly #child: Child
  #stderr = ''
  /** Called with each reply, and with undefined at the end. */
  #onResponse: (reply: Response | undefined) => void = () => {}
  #hasEnded = false
  readonly #receiveSystem = createReceiver<string>()
  readonly #receiveTools = createReceiver<readonly ToolWithoutDefinition[]>()
  /** Resolves when Lua and the tokenizer are warm; never if the process ends before. */
  readonly ready: Promise<void>
  /** Resolves with the reason when the process has ended. */
  readonly gone: Promise<string>

  constructor(options: ProcessOptions) {
    this.#child = start(options)
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR_CHARS)
    })
    // A write to a process that has just died fails; `gone` reports the end.
    this.#child.stdin.on('error', () => {})
    this.ready = new Promise((resolve) => {
      this.#onResponse = (reply) => {
        if (reply?.kind === 'ready') resolve()
      }
    })
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#read(line))
    this.gone = new Promise((resolve) => {
      const end = (why: string): void => {
        this.#hasEnded = true
        resolve(why)
        this.#onResponse(undefined)
      }
      this.#child.once('error', (error) => end(error.message))
      this.#child.once('close', (code, signal) => end(this.#describeEnd(code, signal)))
    })
  }

  /** Returns -1 if the process could not be started. */
  get pid(): number {
    return this.#child.pid ?? -1
  }

  /**
   * Sends a request in JSON, one at a time. Resolves to its reply, or to undefined if the process ends
   * before. Must not race replies with `gone`: that promise would keep all replies in memory until it
   * settles.
   */
  ask(request: string): Promise<Response | undefined> {
    return new Promise((resolve) => {
      if (this.#hasEnded) return resolve(undefined)
      this.#onResponse = resolve
      this.#child.stdin.write(`${request}\n`)
    })
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #read(line: string): void {
    try {
      this.#onResponse(this.#unpack(JSON.parse(line) as ResponseLine))
    } catch {
      // The line is not ours, so the process cannot be trusted with the next request.
      this.#stderr = `it wrote ${JSON.stringify(line.slice(0, 200))}`
      this.kill()
    }
  }

  /** Unpacks every answer, even without a waiting caller: later answers may refer to its parts. */
  #unpack(reply: ResponseLine): Response {
    if (reply.kind !== 'prompt') return reply
    const { system, tools, prompt, ...rest } = reply
    const [theSystem = ''] = this.#receiveSystem(system)
    const [theTools = []] = this.#receiveTools(tools)
    return { ...rest, prompt: { ...prompt, system: theSystem, tools: theTools } }
  }

  #describeEnd(code: number | null, signal: string | null): string {
    const how = signal === null ? `exit status ${code}` : signal
    const said = this.#stderr.trim()
    return said === '' ? how : `${how}: ${said}`
  }
}

function start({ entry, packageRoot, settings, heapMiB }: ProcessOptions): Child {
  const root = realpathSync(packageRoot)
  const packages = [...packagesOf(settings.engine), ...PACKAGES].flatMap((name) => directoriesOf(name, root))
  const readable = [join(root, 'dist'), realpathSync(settings.lua.directory), ...new Set(packages)]
  const flags = [
    permissionFlag(process.versions.node),
    ...readable.map((directory) => `--allow-fs-read=${join(directory, '*')}`),
    `--max-old-space-size=${heapMiB}`,
    `--wasm-tiering-budget=${TIERING_BUDGET}`,
    '--no-warnings',
  ]
  const child = spawn(process.execPath, [...flags, realpathSync(entry), JSON.stringify(settings)], {
    cwd: root,
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  yieldToChat(child)
  return child
}

/** Gives chat priority over composing: a script that uses much CPU time must not slow people's lines. */
function yieldToChat({ pid }: Child): void {
  try {
    if (pid !== undefined) setPriority(pid, NICENESS)
  } catch {
    // The child has ended, which `gone` reports, or the system has no priorities, which does no harm.
  }
}

/** The permission model lost its `experimental-` in Node 22.13 and 23.5. */
function permissionFlag(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const stable = major > 23 || (major === 23 && minor >= 5) || (major === 22 && minor >= 13)
  return stable ? '--permission' : '--experimental-permission'
}

/**
 * Returns the directories of a package imported from `from`, and of its dependencies: each as Node finds it,
 * which may be a link (pnpm), and the link's target.
 */
function directoriesOf(name: string, from: string): readonly string[] {
  const found = (createRequire(join(from, 'package.json')).resolve.paths(name) ?? [])
    .map((directory) => join(directory, name))
    .find((directory) => existsSync(directory))
  // Packages of types only need not be installed.
  if (found === undefined) return []
  const real = realpathSync(found)
  const all = dirname(found)
  // If node_modules is itself a link, Node reads that link, too.
  const linked = lstatSync(all).isSymbolicLink() ? all : found
  const { dependencies = {} } = JSON.parse(readFileSync(join(real, 'package.json'), 'utf8')) as Manifest
  return [linked, real, ...Object.keys(dependencies).flatMap((one) => directoriesOf(one, real))]
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
}
