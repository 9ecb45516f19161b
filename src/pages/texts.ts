import { markup, type Html } from '../lib/markup.ts'
import { visibleText } from '../lib/text/visible-text.ts'

/** Of the stylesheet, `c0` and on: a prompt has hardly more parts. */
const PART_COLOURS = 12

/** The class of one of several parts that lie side by side. */
export const partColourOf = (number: number): string => `c${number % PART_COLOURS}`

/** A text exactly as it is; what would not be seen is spelled out. A browser drops a line end that follows the tag. */
export const exactText = (text: string): Html => markup`<pre>${`\n${visibleText(text)}`}</pre>
`

/** A moment as `2026-11-21 09:41:07`, in UTC. */
export const momentHtml = (at: number): Html => {
  const iso = new Date(at).toISOString()
  return markup`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')}</time>`
}

/** The time of a day, in UTC. */
export const timeHtml = (at: number): Html => {
  const iso = new Date(at).toISOString()
  return markup`<time datetime="${iso}">${iso.slice(11, 19)}</time>`
}
