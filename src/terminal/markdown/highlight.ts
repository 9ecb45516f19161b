import type { HighlightLibrary } from 'highlight.js/lib/common'
import type { MarkdownIt } from 'markdown-it'
import type { Span, TextRole } from '../../base/text/styled.ts'
import { loadMarkdownParser } from '../../base/markdown.ts'

type Highlight = Awaited<ReturnType<typeof loadHighlight>>

export interface MarkdownTools {
  readonly parser: MarkdownIt
  readonly highlight: Highlight
}

/** Code with longer lines is not coloured: the patterns of some languages are slow on them. */
const MAX_LINE_UNITS = 400
const NOT_COLOURED: ReadonlySet<string> = new Set(['Plain text', 'Markdown'])

async function loadHighlight() {
  const { default: library } = await import('highlight.js/lib/common')
  return {
    /** Returns '' for an unknown language. */
    languageOf(words: string): string {
      const [first = ''] = words.trim().split(/\s/, 1)
      return library.getLanguage(first) ? first : ''
    },
    lines(code: string, language: string): readonly (readonly Span[])[] {
      const isLong = code.split('\n').some((line) => line.length > MAX_LINE_UNITS)
      const isColoured =
        !isLong && language !== '' && !NOT_COLOURED.has(library.getLanguage(language)?.name ?? '')
      return isColoured ? linesOf(colour(library, code, language)) : plainLines(code)
    },
  }
}

const plainLines = (code: string): readonly (readonly Span[])[] => code.split('\n').map((text) => [{ text }])

/** Returns the code without colours if the library throws. */
function colour(library: HighlightLibrary, code: string, language: string): readonly Span[] {
  try {
    return readMarkup(library.highlight(code, { language, ignoreIllegals: true }).value)
  } catch {
    return [{ text: code }]
  }
}

const ROLES: Readonly<Record<string, TextRole>> = {
  comment: 'dim',
  quote: 'dim',
  doctag: 'dim',
  keyword: 'heading',
  'selector-tag': 'heading',
  section: 'heading',
  deletion: 'heading',
  number: 'code',
  literal: 'code',
  symbol: 'code',
  string: 'code',
  regexp: 'code',
  addition: 'code',
}

const MARKUP = /<span class="hljs-([\w-]+)[^"]*">|<span[^>]*>|<\/span>|[^<]+/g
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#x27;', "'"],
  ['&amp;', '&'],
])

/** Parses the HTML of highlight.js: nested spans and five entities, no other markup. */
function readMarkup(markup: string): readonly Span[] {
  const roles: (TextRole | undefined)[] = []
  const spans: Span[] = []
  for (const [piece, name] of markup.matchAll(MARKUP)) {
    if (piece.startsWith('<span')) roles.push(ROLES[name ?? ''] ?? roles.at(-1))
    else if (piece === '</span>') roles.pop()
    else {
      const text = piece.replace(/&(?:lt|gt|quot|#x27|amp);/g, (one) => ENTITIES.get(one) ?? one)
      const role = roles.at(-1)
      spans.push(role === undefined ? { text } : { text, role })
    }
  }
  return spans
}

function linesOf(spans: readonly Span[]): readonly (readonly Span[])[] {
  const lines: Span[][] = [[]]
  for (const { text, ...look } of spans) {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) lines.push([])
      if (part !== '') lines.at(-1)?.push({ ...look, text: part })
    }
  }
  return lines
}

export type LazyMarkdown = ReturnType<typeof createLazyMarkdown>

/** Loads the parsers at the first `load`, since they would delay the start of the server. */
export function createLazyMarkdown() {
  let loading: Promise<void> | undefined
  let tools: MarkdownTools | undefined
  async function loadTools(): Promise<void> {
    const [parser, highlight] = await Promise.all([loadMarkdownParser(), loadHighlight()])
    tools = { parser, highlight }
  }
  return {
    load: (): Promise<void> => (loading ??= loadTools()),
    /** Throws before `load` has resolved. */
    tools(): MarkdownTools {
      if (!tools) throw new TypeError('Markdown is drawn before its parser is loaded')
      return tools
    },
  }
}
