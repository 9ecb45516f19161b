declare module '@joplin/turndown-plugin-gfm' {
  import type TurndownService from 'turndown'
  /** HTML tables as pipe tables. */
  export const tables: (service: TurndownService) => void
}
