/**
 * pages/ makes HTML pages for people who look at a room from a browser: a prompt, a past turn, a transcript. Each is one file
 * that needs nothing else, in light and dark, on a phone and on a desk.
 *
 * It must not know who asked for a page, where it goes, or how what it shows is stored. Every text in it is escaped
 * (lib/markup.ts), no page has a script, and its policy lets a browser load nothing.
 */
import { markup, Html } from '../lib/markup.ts'
import { visibleLine } from '../lib/text/visible-text.ts'
import { STYLE } from './style.ts'

/** What stands before the body of a page. `title` is on one line. */
export async function pageHead(title: string): Promise<Html> {
  return markup`<!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${await policy()}">
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

/** What stands behind it. A page without this line was cut off. */
export const PAGE_END = markup`</main>
</body>
</html>
`

/** A browser takes this very stylesheet and nothing else: no script, picture, font, frame, form, nor any other style. */
async function policy(): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(STYLE))
  const hash = btoa(String.fromCharCode(...new Uint8Array(digest)))
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
}
