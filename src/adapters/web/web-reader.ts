import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { WebError, type Page, type WebReader } from '../../tools/web-ports.ts'
import { isPublicAddress, type AddressCheck } from './address.ts'
import { get, type Body, type GetOptions } from './get.ts'
import type { PageJob, PageResult } from './page.ts'

/** How pages are read. */
export interface WebReaderOptions {
  /** Size of the largest body that is read, unpacked. */
  readonly maxBytes?: number
  /** For connecting, redirects and the body together, and again for making text of a page. */
  readonly timeoutMs?: number
  /** Tests let their own servers in. */
  readonly allowed?: AddressCheck
  readonly lookup?: GetOptions['lookup']
  /** The built `page-worker.js`, where it does not lie beside this file. */
  readonly worker?: string | URL
}

const workerMemoryMb = 256

/** See `WebReader`. Keeps nothing between calls, so there is nothing to dispose of. */
export function createWebReader(options: WebReaderOptions = {}): WebReader {
  const { maxBytes = 4 * 1024 * 1024, timeoutMs = 20_000, allowed = isPublicAddress } = options
  const worker = options.worker ?? new URL('./page-worker.js', import.meta.url)

  /** Says what took too long; the caller's own signal keeps its reason. */
  async function limited<T>(
    what: string,
    signal: AbortSignal,
    job: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const over = AbortSignal.timeout(timeoutMs)
    try {
      return await job(AbortSignal.any([signal, over]))
    } catch (error) {
      if (signal.aborted || !over.aborted) throw error
      throw new WebError(`${what} took longer than ${timeoutMs / 1000} s`)
    }
  }

  return {
    async read(url, format, signal) {
      const body = await limited('the page', signal, (inner) =>
        get(url, { allowed, maxBytes, signal: inner, ...(options.lookup ? { lookup: options.lookup } : {}) }),
      )
      const text = decode(body)
      const plain = format === 'raw' || !/html/.test(body.contentType)
      if (plain) return { url: body.url.href, title: '', text }
      const made = await limited('reading the page', signal, (inner) =>
        render({ html: text, format }, worker, inner),
      )
      return { url: body.url.href, ...made } satisfies Page
    },
  }
}

/** Throws `WebError` for what is no text. */
function decode({ content, contentType, url }: Body): string {
  const [type] = contentType.split(';', 1)
  const textual = /^(text\/|application\/(.+\+)?(json|xml|javascript|yaml|toml)|application\/xhtml)/.test(
    type!.trim(),
  )
  if (contentType !== '' && !textual)
    throw new WebError(`${url.host} sent ${type!.slice(0, 80)}, which is not text`)
  if (content.includes(0)) throw new WebError(`${url.host} sent what is not text`)
  return decoder(/charset="?([\w-]+)/.exec(contentType)?.[1]).decode(content)
}

function decoder(charset = 'utf-8') {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

/** In a thread that is ended with the signal, and when it takes too much memory. */
async function render(job: PageJob, file: string | URL, signal: AbortSignal): Promise<PageResult> {
  const worker = new Worker(file, {
    workerData: job,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: workerMemoryMb, stackSizeMb: 16 },
  })
  try {
    const [result] = (await once(worker, 'message', { signal })) as [PageResult]
    return result
  } catch (error) {
    signal.throwIfAborted()
    throw new WebError('the page could not be made into text; ask for it as raw', { cause: error })
  } finally {
    await worker.terminate()
  }
}
