/**
 * What our tests ask of a page in a browser. The types of a browser as a whole would hide what Node has from the program.
 */
interface TestedElements<Element> extends Iterable<Element> {
  readonly length: number
}

declare const document: {
  readonly documentElement: {
    readonly scrollWidth: number
    readonly scrollHeight: number
    readonly clientWidth: number
  }
  querySelectorAll(selector: 'details'): TestedElements<{ open: boolean }>
  querySelectorAll(
    selector: 'a',
  ): TestedElements<{ readonly href: string; readonly rel: string; readonly protocol: string }>
  querySelectorAll(
    selector: string,
  ): TestedElements<{ readonly attributes: Iterable<{ readonly name: string }> }>
}
