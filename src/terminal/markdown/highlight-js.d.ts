/** Replaces the library's own types, whose DOM types hide Node's. tsconfig.json names this file. */
declare const library: {
  getLanguage(name: string): { readonly name?: string } | undefined
  /** Returns HTML in `value`. Throws for an unknown language. */
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly value: string }
}
// oxlint-disable-next-line import/no-default-export -- as the library has it
export default library
export type HighlightLibrary = typeof library
