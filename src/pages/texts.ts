import { fnv1a } from '../lib/hash.ts'
import { markup, type Html } from '../lib/markup.ts'
import { visibleLine, visibleText } from '../lib/text/visible-text.ts'

/** Names have the first eight colours of the stylesheet. */
const NAME_COLOURS = 8
/** All of them: a prompt has hardly more parts. */
const PART_COLOURS = 12

const colourOf = (number: number): string => `c${number % NAME_COLOURS}`

/** The class of one of several parts that lie side by side. */
export const partColourOf = (number: number): string => `c${number % PART_COLOURS}`

/** Somebody's name, always in the same colour; no direction of writing in it reaches beyond it. */
export const nameHtml = (name: string): Html =>
  markup`<b class="name ${colourOf(fnv1a(name))}"><bdi>${visibleLine(name)}</bdi></b>`

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
