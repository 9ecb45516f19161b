/**
 * What we use of highlight.js. Its own types bring those of a browser into the whole program, where they hide what Node has;
 * `paths` in tsconfig.json names this file instead.
 */
declare const library: {
  /** Undefined for a language that it does not know. */
  getLanguage(name: string): { readonly name?: string } | undefined
  /** HTML in `value`, with spans of classes. Throws for an unknown language. */
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly value: string }
}
// oxlint-disable-next-line import/no-default-export -- as the library has it
export default library
export type HighlightLibrary = typeof library
