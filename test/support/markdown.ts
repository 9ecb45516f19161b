import { parsers } from 'prettier/plugins/markdown'

/** A part of a parsed Markdown page (https://github.com/syntax-tree/mdast), as far as tests look at it. */
export interface MarkdownNode {
  readonly type: string
  readonly value?: string
  readonly depth?: number
  readonly children?: readonly MarkdownNode[]
}

/** A page as the Markdown parser of prettier reads it: CommonMark with GitHub's extensions and formulas. */
export async function parseMarkdown(page: string): Promise<MarkdownNode> {
  const options = { originalText: page } as Parameters<typeof parsers.markdown.parse>[1]
  return (await parsers.markdown.parse(page, options)) as MarkdownNode
}

/** The types of a node and all below it. */
export const typesIn = (node: MarkdownNode): ReadonlySet<string> =>
  new Set([node.type, ...(node.children ?? []).flatMap((child) => [...typesIn(child)])])

/** What a reader sees of it. */
export const seenText = ({ type, value, children = [] }: MarkdownNode): string =>
  type === 'break' ? '\n' : (value ?? children.map(seenText).join(''))
