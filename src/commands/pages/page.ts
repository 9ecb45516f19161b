// pages/ makes self-contained HTML pages: a prompt, a past turn, a transcript. It must not know who asked,
// where a page goes, or how its content is stored. Every text is escaped (base/markup.ts), no page has a
// script, and its policy lets a browser load nothing; pictures of a log are in the page itself.
import type { Entry } from '../../words/entry.ts'
import { fnv1a } from '../../base/basics.ts'
import { Html, markup } from '../../base/markup.ts'
import { visibleLine, visibleText } from '../../base/text/visible-text.ts'
import { STYLE } from './style.ts'

/** Returns the beginning of a page, up to its content. `hasPictures` allows pictures inside the page. */
export async function pageHead(title: string, { hasPictures = false } = {}): Promise<Html> {
  return markup`<!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${await policy(hasPictures)}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <meta name="color-scheme" content="light dark">
    <title>${visibleLine(title)}</title>
    <style>${Html.trusted(STYLE)}</style>
    </head>
    <body>
    <main>
    `
}

/** The end of every complete page: without it a page was cut off. */
export const PAGE_END = markup`</main>
</body>
</html>
`

/** Allows only this stylesheet and pictures in the page: no script, font, frame, form or other style. */
async function policy(hasPictures: boolean): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(STYLE))
  const hash = btoa(String.fromCharCode(...new Uint8Array(digest)))
  const pictures = hasPictures ? ' img-src data:;' : ''
  return `default-src 'none'; style-src 'sha256-${hash}';${pictures} base-uri 'none'; form-action 'none'`
}

/** Number of the stylesheet's classes `c0`, `c1` … A prompt rarely has more parts. */
const PART_COLOURS = 12

export const partColourOf = (number: number): string => `c${number % PART_COLOURS}`

/** Returns a text verbatim, with invisible characters spelled out. A browser drops the first line end. */
export const exactText = (text: string): Html => markup`<pre>${`\n${visibleText(text)}`}</pre>
`

/** A moment as `2026-11-21 09:41:07`, in UTC. */
export const momentHtml = (at: number): Html => timeElement(at, 0)

/** The time of a day, in UTC. */
export const timeHtml = (at: number): Html => timeElement(at, 11)

function timeElement(at: number, from: number): Html {
  const iso = new Date(at).toISOString()
  return markup`<time datetime="${iso}">${iso.slice(from, 19).replace('T', ' ')}</time>`
}

/** Number of the stylesheet's classes `n0`, `n1` … for people. Only models have the class `model`. */
const PEOPLE_COLOURS = 6

/** Returns the name of an entry's author. Its writing direction does not affect the text around it. */
export type RenderAuthor = (entry: Pick<Entry, 'author' | 'kind'>) => Html

/** Gives the first six speakers a colour each; other speakers share these colours. */
export function createRenderAuthor(): RenderAuthor {
  const owners = new Map<string, number>()

  function colourOf(name: string): number {
    if (!owners.has(name) && owners.size < PEOPLE_COLOURS) owners.set(name, owners.size)
    return owners.get(name) ?? fnv1a(name) % PEOPLE_COLOURS
  }

  return ({ author, kind }) => {
    const colour = kind === 'reply' ? 'model' : `n${colourOf(author)}`
    return markup`<b class="name ${colour}"><bdi>${visibleLine(author)}</bdi></b>`
  }
}
