/** What the caller reads. Text that begins with `ERROR:` is an error as well. */
export interface ToolResult {
  readonly content: string
  readonly isError: boolean
  /** True for a page of a long result. It is clean and short already, so it is passed on unchanged. */
  readonly isPage?: true
}

/** A successful result. */
export const ok = (content: string): ToolResult => ({ content, isError: false })

/** A failed result in the form a model reads: `ERROR: …`. */
export const failed = (message: string): ToolResult => ({
  content: message.startsWith('ERROR:') ? message : `ERROR: ${message}`,
  isError: true,
})
