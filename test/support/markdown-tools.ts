import { createLazyMarkdown } from '../../src/session/markdown/load.ts'

/** Loaded, for tests that draw. */
export const markdown = createLazyMarkdown()
await markdown.load()
