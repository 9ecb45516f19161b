import { createLazyMarkdown } from '../../src/terminal/markdown/highlight.ts'

/** Loaded, for tests that draw. */
export const markdown = createLazyMarkdown()
await markdown.load()
