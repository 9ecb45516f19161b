import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { bytes } from '../../lib/bytes.ts'
import { WebError } from '../../tools/web-ports.ts'
import { checkLiteral, guardedLookup, type AddressCheck } from './address.ts'

/** How a body may be had. */
export interface GetOptions {
  readonly allowed: AddressCheck
  readonly lookup?: Parameters<typeof guardedLookup>[1]
  readonly headers?: Readonly<Record<string, string>>
  /** Of the body, unpacked; more is an error. */
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** What came. */
export interface Body {
  readonly url: URL
  /** Lower case, with its parameters; empty when none was given. */
  readonly contentType: string
  readonly content: Buffer
}

const maxRedirects = 5

/**
 * Gets a body over HTTP or HTTPS; every address on the way is checked, redirects too. Throws `WebError` for
 * everything that goes wrong, and the signal's reason when aborted.
 */
export async function get(address: string, options: GetOptions): Promise<Body> {
  let url = checkedUrl(address)
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await send(url, options)
    const next = redirect(response, url)
    if (!next) return await finish(response, url, options)
    response.destroy()
    url = next
  }
  throw new WebError(`more than ${maxRedirects} redirects`)
}

/** Throws `WebError` unless it is an address that a browser could be given. */
function checkedUrl(address: string, base?: URL): URL {
  if (!URL.canParse(address, base?.href))
    throw new WebError(
      `'${address.slice(0, 200)}' is not a URL; write it in full, such as https://example.org/`,
    )
  const url = new URL(address, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new WebError(`${url.protocol} is not supported; only http: and https: are`)
  }
  if (url.username || url.password) throw new WebError('a URL with a name or password in it is not supported')
  return url
}

async function send(url: URL, { allowed, lookup, headers, signal }: GetOptions): Promise<IncomingMessage> {
  checkLiteral(url, allowed)
  const options: RequestOptions = {
    headers: { 'user-agent': 'sshawl', 'accept-encoding': 'gzip, deflate, br', accept: '*/*', ...headers },
    lookup: guardedLookup(allowed, lookup),
    agent: false,
    signal,
  }
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options)
  try {
    request.end()
    const [response] = (await once(request, 'response', { signal })) as [IncomingMessage]
    return response
  } catch (error) {
    request.on('error', () => undefined).destroy()
    throw failure(error, url, signal)
  }
}

function redirect(response: IncomingMessage, from: URL): URL | undefined {
  const to = response.headers.location
  if (![301, 302, 303, 307, 308].includes(response.statusCode ?? 0) || to === undefined) return undefined
  return checkedUrl(to, from)
}

async function finish(response: IncomingMessage, url: URL, options: GetOptions): Promise<Body> {
  const status = response.statusCode ?? 0
  try {
    if (status < 200 || status > 299)
      throw new WebError(`${url.host} answered ${status} ${response.statusMessage ?? ''}`.trim())
    const content = await readUpTo(unpacked(response), options.maxBytes)
    return { url, contentType: (response.headers['content-type'] ?? '').toLowerCase(), content }
  } catch (error) {
    throw failure(error, url, options.signal)
  } finally {
    response.destroy()
  }
}

function unpacked(response: IncomingMessage): Readable {
  const unpack = {
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  }
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return response
  if (!Object.hasOwn(unpack, encoding))
    throw new WebError(`it is packed in a way that is not supported (${encoding.slice(0, 40)})`)
  // An error of either end reaches the reader of the last stream.
  return pipeline(response, unpack[encoding as keyof typeof unpack](), () => undefined)
}

async function readUpTo(stream: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new WebError(`it is larger than ${bytes(maxBytes)}`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function failure(error: unknown, url: URL, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (error instanceof WebError) return error
  const { code, message } = error as NodeJS.ErrnoException
  return new WebError(`${url.host} cannot be reached (${code ?? message})`, { cause: error })
}
