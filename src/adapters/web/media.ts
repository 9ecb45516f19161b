import type { IncomingMessage } from 'node:http'
import { MIMEType } from 'whatwg-mimetype'
import { WebError } from '../../tools/web.ts'

/** What kind of text an answer is. */
export interface Media {
  /** Such as `text/html`, in small letters. */
  readonly type: string
  readonly isHtml: boolean
  /** As the server named it. */
  readonly charset: string | undefined
}

/** A longer type is taken for none: RFC 6838 (4.2) wants names to be short, and this one is shown. */
const MAX_TYPE_CHARS = 120

/** The kind of an answer's body. Throws `WebError` for what is not text: images, archives, nothing named. */
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
 * Decodes a body. A byte order mark wins over the header, the header over the document's own word, and UTF-8 is the
 * rest; unknown charsets count as unnamed (HTML standard, 13.2.3.2). What does not fit is U+FFFD.
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
 * The tables of charsets take some 30 ms to load, which no start of a server has to wait for. One after the other:
 * Node.js 20 cannot load the same modules by `import` and by the sniffer's `require` at once. The decoder is not the
 * one of Node.js 20, which takes windows-1252, and so every page that says latin1, for ISO 8859-1.
 */
async function loadCharsets() {
  const { default: sniff } = await import('html-encoding-sniffer')
  const { legacyHookDecode: decode } = await import('@exodus/bytes/encoding.js')
  return { sniff, decode }
}

/** What an XML declaration says, at which the sniffer does not look. */
function xmlEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1')
  return /^<\?xml\s[^>]*?encoding\s*=\s*["']([\w:.-]{1,40})["']/.exec(head)?.[1]
}
