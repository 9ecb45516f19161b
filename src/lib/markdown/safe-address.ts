/** Longer addresses are cut by terminals that know links (https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda). */
const MAX_ADDRESS_UNITS = 2_083
const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:'])

/**
 * A web or mail address in plain ASCII without blanks and controls, as a link may have it; undefined for everything else.
 */
export function safeAddress(text: string): string | undefined {
  if (text.length > MAX_ADDRESS_UNITS || !URL.canParse(text)) return undefined
  const { href, protocol } = new URL(text)
  return SCHEMES.has(protocol) && /^[!-~]{1,2083}$/.test(href) ? href : undefined
}
