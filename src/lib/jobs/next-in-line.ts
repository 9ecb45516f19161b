/** What stands in a line, or has come through it. */
interface InLine {
  readonly owner: string
}

/** The first that waits; but whoever has nothing running goes before those who have some. Undefined where nobody waits. */
export function nextInLine<One extends InLine>(
  running: Iterable<InLine>,
  waiting: Iterable<One>,
): One | undefined {
  const busy = new Set([...running].map(({ owner }) => owner))
  const line = [...waiting]
  return line.find(({ owner }) => !busy.has(owner)) ?? line[0]
}
