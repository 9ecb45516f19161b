import { loadMarkdownParser } from '../../lib/markdown/parser.ts'
import type { MarkdownTools } from './blocks.ts'
import { loadHighlight } from './highlight.ts'

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

export async function loadMarkdownTools(): Promise<MarkdownTools> {
  const [parser, highlight] = await Promise.all([loadMarkdownParser(), loadHighlight()])
  return { parser, highlight }
}
