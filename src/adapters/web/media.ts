import type { IncomingMessage } from 'node:http'
import { WebError } from '../../tools/ports.ts'

/** What kind of text an answer is. */
export interface Media {
  /** Such as `text/html`, in small letters. */
  readonly type: string
  readonly isHtml: boolean
  /** As the server named it. */
  readonly charset: string | undefined
}

/** The kind of an answer's body. Throws `WebError` for what is not text: images, archives, nothing named. */
export function mediaOf({ headers }: IncomingMessage): Media {
  const header = headers['content-type'] ?? ''
  const type = /^\s*([\w.+-]{1,60}\/[\w.+-]{1,60})/.exec(header)?.[1]?.toLowerCase()
  if (type === undefined)
    throw new WebError('the server does not say what kind of content it sent; it was not read')
  if (!isText(type))
    throw new WebError(`it is ${type}, which cannot be read; only text, HTML, JSON and XML can`)
  const charset = /;\s*charset\s*=\s*"?([\w:.+-]{1,40})/i.exec(header)?.[1]
  return { type, charset, isHtml: type === 'text/html' || type === 'application/xhtml+xml' }
}

const isText = (type: string): boolean =>
  type.startsWith('text/') ||
  /^application\/(json|xml|javascript|yaml|toml)$/.test(type) ||
  /\+(json|xml)$/.test(type)

/** Where HTML and XML may name their charset themselves (HTML standard, 13.2.3.2, looks as far). */
const PRESCAN_BYTES = 1024

/**
 * Decodes a body: a byte order mark wins over the header, the header over the document's own word, and UTF-8 is
 * what the rest is taken for. What does not fit is U+FFFD; unknown charsets count as unnamed.
 */
export function decodeText(bytes: Uint8Array, charset: string | undefined): string {
  const label = markOf(bytes) ?? charset ?? namedIn(bytes) ?? 'utf-8'
  return (decoderFor(label) ?? new TextDecoder()).decode(bytes)
}

function markOf([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb ? 'utf-8' : undefined
}

function namedIn(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, PRESCAN_BYTES))
  return /<(?:meta|\?xml)[^>]*?(?:charset|encoding)\s*=\s*["']?([\w:.+-]{1,40})/i.exec(head)?.[1]
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label)
  } catch {
    return undefined
  }
}
