import type { HighlightLibrary } from 'highlight.js/lib/common'
import { type CodeRole, PLAIN_LOOK, type Stretch } from './inline.ts'
import { loadMarkdownParser } from '../../lib/markdown/parser.ts'
import type { MarkdownTools } from './blocks.ts'

/** Finds the parts of code that are coloured. */
export interface Highlight {
  /** The language that the words behind a fence name; empty where it is none that is known. */
  languageOf(words: string): string
  /** The lines of a block in that language. */
  lines(code: string, language: string): readonly (readonly Stretch[])[]
}

/** Longer lines are data, and the patterns of some languages take long for them. */
const MAX_LINE_UNITS = 400
/** Grammars that have such patterns, or colour what is no code. */
const NOT_COLOURED: ReadonlySet<string> = new Set(['Plain text', 'Markdown'])

/** Loads the highlighter with the languages that are in common use. */
async function loadHighlight(): Promise<Highlight> {
  const { default: library } = await import('highlight.js/lib/common')
  return {
    languageOf(words) {
      const [first = ''] = words.trim().split(/\s/, 1)
      return library.getLanguage(first) ? first : ''
    },
    lines(code, language) {
      const isLong = code.split('\n').some((line) => line.length > MAX_LINE_UNITS)
      const isColoured =
        !isLong && language !== '' && !NOT_COLOURED.has(library.getLanguage(language)?.name ?? '')
      return isColoured ? linesOf(colour(library, code, language)) : plainLines(code)
    },
  }
}

const plainLines = (code: string): readonly (readonly Stretch[])[] =>
  code.split('\n').map((text) => [{ text, look: PLAIN_LOOK }])

/** A library that throws must not cost the text. */
function colour(library: HighlightLibrary, code: string, language: string): readonly Stretch[] {
  try {
    return readMarkup(library.highlight(code, { language, ignoreIllegals: true }).value)
  } catch {
    return [{ text: code, look: PLAIN_LOOK }]
  }
}

const ROLES: ReadonlyMap<string, CodeRole> = new Map([
  ...pairs('comment', ['comment', 'quote', 'doctag']),
  ...pairs('keyword', ['keyword', 'selector-tag', 'section', 'deletion']),
  ...pairs('literal', ['number', 'literal', 'symbol']),
  ...pairs('string', ['string', 'regexp', 'addition']),
])

function pairs(role: CodeRole, classes: readonly string[]): readonly (readonly [string, CodeRole])[] {
  return classes.map((one) => [one, role] as const)
}

const MARKUP = /<span class="hljs-([\w-]+)[^"]*">|<span[^>]*>|<\/span>|[^<]+/g
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#x27;', "'"],
  ['&amp;', '&'],
])

/** The library gives HTML with spans that lie in one another; the text in it has five entities and no other markup. */
function readMarkup(markup: string): readonly Stretch[] {
  const roles: (CodeRole | undefined)[] = []
  const stretches: Stretch[] = []
  for (const [piece, name] of markup.matchAll(MARKUP)) {
    if (piece.startsWith('<span')) roles.push(ROLES.get(name ?? '') ?? roles.at(-1))
    else if (piece === '</span>') roles.pop()
    else {
      const text = piece.replace(/&(?:lt|gt|quot|#x27|amp);/g, (one) => ENTITIES.get(one) ?? one)
      const role = roles.at(-1)
      stretches.push({ text, look: role === undefined ? PLAIN_LOOK : { role } })
    }
  }
  return stretches
}

function linesOf(stretches: readonly Stretch[]): readonly (readonly Stretch[])[] {
  const lines: Stretch[][] = [[]]
  for (const { text, look } of stretches) {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) lines.push([])
      if (part !== '') lines.at(-1)?.push({ text: part, look })
    }
  }
  return lines
}

/** The libraries that Markdown is read with. They take longer to load than a server may take to start. */
export interface LazyMarkdown {
  /** Loads them, once. Rejects if they cannot be loaded. */
  load(): Promise<void>
  /** Throws before they are loaded. */
  tools(): MarkdownTools
}

export function createLazyMarkdown(): LazyMarkdown {
  let loading: Promise<void> | undefined
  let tools: MarkdownTools | undefined
  return {
    load() {
      loading ??= loadMarkdownTools().then((loaded) => void (tools = loaded))
      return loading
    },
    tools() {
      if (!tools) throw new TypeError('Markdown is drawn before its parser is loaded')
      return tools
    },
  }
}

async function loadMarkdownTools(): Promise<MarkdownTools> {
  const [parser, highlight] = await Promise.all([loadMarkdownParser(), loadHighlight()])
  return { parser, highlight }
}
