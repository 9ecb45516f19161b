/** What a screen has shown, as far as it is looked at here: numbers of lines. */
interface Shown {
  readonly lines: Int32Array
}

/** How many screens show lines in another order than others do, or than a speaker said them. */
export function disordered(screens: readonly Shown[], speakers: number, first: number): number {
  // No screen shows its own speaker's lines here, so two references make sure that each line is in one of them.
  const references = screens.slice(0, 2).map(({ lines }) => positions(lines))
  return screens.filter(
    ({ lines }) =>
      !keepsSpeakersOrder(lines, speakers, first) || references.some((known) => !follows(lines, known)),
  ).length
}

const positions = (lines: Int32Array): ReadonlyMap<number, number> =>
  new Map(Array.from(lines, (line, at) => [line, at]))

function follows(lines: Int32Array, known: ReadonlyMap<number, number>): boolean {
  const places = Array.from(lines, (line) => known.get(line)).filter((place) => place !== undefined)
  return places.every((place, at) => at === 0 || place > places[at - 1]!)
}

function keepsSpeakersOrder(lines: Int32Array, speakers: number, first: number): boolean {
  const last = new Map<number, number>()
  return lines.every((line) => {
    const speaker = (line - first) % speakers
    const isLater = line > (last.get(speaker) ?? -1)
    last.set(speaker, line)
    return isLater
  })
}
