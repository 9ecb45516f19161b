import { markup, type Html } from '../lib/markup.ts'
import type { ShownPrompt } from '../prompt/shown/tool-groups.ts'
import { pageHead, PAGE_END } from './page.ts'
import { promptParts } from './prompt-parts.ts'
import { momentHtml } from './texts.ts'

/** What a model would be sent now in a room, for this person. `at`: milliseconds since the epoch. */
export async function wrapPage(
  { model, prompt, groups }: ShownPrompt,
  { room, person, at }: { readonly room: string; readonly person: string; readonly at: number },
): Promise<Html> {
  return markup`${await pageHead(`@${model} in ${room}: the next prompt`)}
    <h1>What @${model} would be sent in ${room}</h1>
    <p class="dim">
      As ${person} would ask it at ${momentHtml(at)} UTC, with an empty message. Every part unfolds to its
      exact text.
    </p>
    ${promptParts(prompt, groups)}${PAGE_END}`
}
