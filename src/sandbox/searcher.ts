import pLimit from 'p-limit'
import type { FileQuery, FoundFiles, FoundText, TextQuery } from '../tools/index.ts'
import { WorkspaceError } from '../words/errors.ts'
import type { SearchAnswer, FileSearchLimits, FileSearchRequest } from './search/search.ts'

const SEARCH_LIMITS: FileSearchLimits = { ms: 10_000, entries: 200_000, results: 2001 }

const HEAP_MIB = 256

/** Bytes of an answer: enough for the most lines, each with its path and context. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** A search that is still running this many milliseconds after its own time limit is killed. */
export const KILLED_AFTER_MS = 5000

/** Searches that run at once, each in another room; each takes a core. */
const MAX_AT_ONCE = 4

/**
 * Runs each search in its own process, which is killed if it takes too much time or memory. In the server, it
 * would delay everybody. Takes real paths; rejects with `WorkspaceError` or the signal's reason.
 */
export class Searcher {
  readonly #queue = pLimit(MAX_AT_ONCE)
  readonly #entry: string
  readonly #limits: FileSearchLimits

  /** `entry` is the built search/main.ts. */
  constructor(entry: string, limits: FileSearchLimits = SEARCH_LIMITS) {
    this.#entry = entry
    this.#limits = limits
  }

  findFiles(root: string, files: FileQuery, signal: AbortSignal): Promise<FoundFiles> {
    return this.#queue(() => search<FoundFiles>(this.#entry, { root, limits: this.#limits, files }, signal))
  }

  searchText(root: string, text: TextQuery, signal: AbortSignal): Promise<FoundText> {
    return this.#queue(() => search<FoundText>(this.#entry, { root, limits: this.#limits, text }, signal))
  }
}

async function search<Found>(entry: string, request: FileSearchRequest, signal: AbortSignal): Promise<Found> {
  signal.throwIfAborted()
  const answer = await run(entry, request, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    throw new WorkspaceError('this takes too much time or memory; search a smaller part', { cause: error })
  })
  const result: SearchAnswer<Found> = JSON.parse(answer)
  if ('refused' in result) throw new WorkspaceError(result.refused)
  return result.found
}

async function run(entry: string, request: FileSearchRequest, cancelSignal: AbortSignal): Promise<string> {
  // Loaded with the first search, because loading execa takes 24 ms.
  const { execa } = await import('execa')
  const { stdout } = await execa(process.execPath, [`--max-old-space-size=${HEAP_MIB}`, entry], {
    input: JSON.stringify(request),
    extendEnv: false,
    timeout: request.limits.ms + KILLED_AFTER_MS,
    killSignal: 'SIGKILL',
    cancelSignal,
    maxBuffer: MAX_ANSWER_BYTES,
  })
  return stdout
}
