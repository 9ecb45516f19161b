/** Escaped markup. Only `markup` creates it, and `trusted` from a library's safe output. */
export class Html {
  readonly #markup: string

  private constructor(markup: string) {
    this.#markup = markup
  }

  toString(): string {
    return this.#markup
  }

  /** Must never get text from a person or model. */
  static trusted(markup: string): Html {
    return new Html(markup)
  }
}

/** Texts are escaped; `undefined` and false produce nothing. */
type Part = string | number | Html | undefined | false | readonly Part[]

/** A template tag that escapes texts, for use between tags and in quoted attributes. Strips line indents. */
export const markup = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  Html.trusted(
    withoutIndents(strings)
      .map((text, at) => text + markupOf(parts[at]))
      .join(''),
  )

const seen = new WeakMap<TemplateStringsArray, readonly string[]>()

function withoutIndents(strings: TemplateStringsArray): readonly string[] {
  const known = seen.get(strings) ?? strings.map((text) => text.replace(/\n +/g, '\n'))
  seen.set(strings, known)
  return known
}

function markupOf(part: Part): string {
  if (part === undefined || part === false) return ''
  if (typeof part === 'string') return escaped(part)
  if (typeof part === 'number' || part instanceof Html) return String(part)
  return part.map(markupOf).join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
