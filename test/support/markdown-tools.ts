import { createLazyMarkdown } from '../../src/session/markdown/highlight.ts'

/** Loaded, for tests that draw. */
export const markdown = createLazyMarkdown()
await markdown.load()
