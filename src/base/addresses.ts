/** Terminals cut longer links (https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda). */
const MAX_ADDRESS_UNITS = 2_083
const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:'])

/** Returns a link in plain ASCII without spaces and control characters; undefined for an unsafe one. */
export function safeAddress(text: string): string | undefined {
  if (text.length > MAX_ADDRESS_UNITS || !URL.canParse(text)) return undefined
  const { href, protocol } = new URL(text)
  return SCHEMES.has(protocol) && /^[!-~]{1,2083}$/.test(href) ? href : undefined
}

/** Replaces `sslmode` synonyms of `verify-full`, which make the driver warn. Leaves `uselibpqcompat` URLs. */
export const withExplicitSslMode = (url: string): string =>
  /[?&]uselibpqcompat=/.test(url)
    ? url
    : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full')
