import type { IncomingMessage } from 'node:http'
import { MIMEType } from 'whatwg-mimetype'
import { WebError } from '../tools/index.ts'

export interface Media {
  /** A type such as `text/html`, in lower case. */
  readonly type: string
  readonly isHtml: boolean
  /** The charset as the server wrote it. */
  readonly charset: string | undefined
}

/** A longer type counts as missing: RFC 6838 (4.2) requires short names, and the type is shown. */
const MAX_TYPE_CHARS = 120

/** Throws `WebError` for a body that is not text. */
export function mediaOf({ headers }: IncomingMessage): Media {
  const mime = MIMEType.parse(headers['content-type'] ?? '')
  if (!mime || mime.essence.length > MAX_TYPE_CHARS)
    throw new WebError('the server does not say what kind of content it sent; it was not read')
  const type = mime.essence
  if (!isText(mime))
    throw new WebError(`it is ${type}, which cannot be read; only text, HTML, JSON and XML can`)
  const isHtml = mime.isHTML() || type === 'application/xhtml+xml'
  return { type, isHtml, charset: mime.parameters.get('charset') }
}

const isText = (mime: MIMEType): boolean =>
  mime.type === 'text' ||
  mime.isXML() ||
  mime.isJavaScript() ||
  /^application\/(json|yaml|toml)$|\+json$/.test(mime.essence)

/**
 * Decodes by byte order mark, else header, else the document's declaration, else UTF-8. Unknown charsets
 * count as missing (HTML standard, 13.2.3.2). Invalid bytes become U+FFFD.
 */
export async function decodeText(bytes: Uint8Array, charset: string | undefined): Promise<string> {
  const { sniff, decode } = await loadCharsets()
  const named = charset ?? xmlEncoding(bytes)
  const encoding = sniff(bytes, {
    ...(named === undefined ? {} : { transportLayerEncodingLabel: named }),
    defaultEncoding: 'UTF-8',
  })
  return decode(bytes, encoding)
}

/**
 * Loads the charset tables at first use, which takes 30 ms; one by one, as Node.js 20 cannot load a module by
 * `import` and `require` at once. Its own decoder takes windows-1252 (latin1 pages) for ISO 8859-1.
 */
async function loadCharsets() {
  const { default: sniff } = await import('html-encoding-sniffer')
  const { legacyHookDecode: decode } = await import('@exodus/bytes/encoding.js')
  return { sniff, decode }
}

/** Returns the encoding of an XML declaration, which the sniffer ignores. */
function xmlEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1')
  return /^<\?xml\s[^>]*?encoding\s*=\s*["']([\w:.-]{1,40})["']/.exec(head)?.[1]
}
