/**
 * What we use of colorjs.io. Its own types bring those of a browser into the whole program, where they hide what Node has;
 * `paths` in test/tsconfig.json names this file instead.
 */
declare class Color {
  constructor(css: string)
  /** The parts are from 0 to 1. */
  constructor(space: 'srgb', parts: readonly [number, number, number])
  /** The ratio of WCAG 2.1, from 1 to 21. */
  contrast(other: Color, by: 'WCAG21'): number
  /** How different two colours look. */
  deltaE(other: Color, by: '2000'): number
}
// oxlint-disable-next-line import/no-default-export -- as the library has it
export default Color
