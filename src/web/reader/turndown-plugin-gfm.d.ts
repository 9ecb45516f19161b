declare module '@joplin/turndown-plugin-gfm' {
  import type TurndownService from 'turndown'
  /** Writes HTML tables as pipe tables. */
  export const tables: (service: TurndownService) => void
}
