/** Pairs up the elements of two lists. Throws `RangeError` where their lengths differ. */
export function zip<A, B>(a: readonly A[], b: readonly B[]): readonly (readonly [A, B])[] {
  if (a.length !== b.length) throw new RangeError(`${a.length} and ${b.length} elements cannot be paired up`)
  return a.map((one, index) => [one, b[index] as B])
}
