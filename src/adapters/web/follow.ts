import type { IncomingMessage } from 'node:http'
import { WebError } from '../../tools/web.ts'
import { checkUrl, findDestination, type Rules } from './destination.ts'
import type { TimeLimit } from './time-limit.ts'
import { get } from './request.ts'

/** Redirects in one visit. */
const MAX_REDIRECTS = 5

const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308]

const HEADERS = {
  'user-agent': 'sshawl (reads single pages when somebody asks for them)',
  accept: 'text/markdown, text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.1',
}

/** An answer, and where it came from. */
export interface Arrival {
  readonly url: URL
  readonly answer: IncomingMessage
}

/**
 * Gets a page, following redirects within the site; each step is checked as the first was. Another site is an error
 * that names it, because the visit was allowed for this one. Rejects with `WebError`, or with the signal's reason.
 */
export async function follow(
  start: URL,
  rules: Rules & { readonly authorities?: string },
  time: TimeLimit,
): Promise<Arrival> {
  let url = start
  for (let redirects = 0; ; redirects += 1) {
    const { addresses } = await findDestination(url, rules, time.signal)
    const answer = await get({ ...rules, url, addresses, headers: HEADERS }, time)
    const { location } = answer.headers
    if (!REDIRECTS.includes(answer.statusCode) || location === undefined) return { url, answer }
    answer.destroy()
    if (redirects === MAX_REDIRECTS)
      throw new WebError(`${start.host} redirects more than ${MAX_REDIRECTS} times`)
    const next = checkUrl(location, rules, url)
    if (siteOf(next) !== siteOf(url))
      throw new WebError(`${url.host} redirects to another site; to go there, fetch ${next.href}`)
    url = next
  }
}

/** With `www.` and without it is the same site. */
const siteOf = ({ host }: URL): string => host.replace(/^www\./, '')
