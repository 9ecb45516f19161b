import type { Place } from './graph.ts'

/**
 * The way from one place to a goal that opens the fewest files, both ends included; undefined where there is none.
 * `next` gives where one can go from a place.
 */
export function shortestPath(
  from: Place,
  isGoal: (place: Place) => boolean,
  next: (place: Place) => readonly Place[],
): readonly Place[] | undefined {
  const cameFrom = new Map<Place, Place | undefined>()
  // One list for each number of files opened: what stays in its file is looked at before the next file is opened.
  const rings: { readonly place: Place; readonly before: Place | undefined }[][] = [
    [{ place: from, before: undefined }],
  ]
  for (const [opened, ring] of rings.entries()) {
    for (const { place, before } of ring) {
      if (cameFrom.has(place)) continue
      cameFrom.set(place, before)
      if (isGoal(place)) return wayTo(place, cameFrom)
      for (const one of next(place)) {
        const ahead = one.file === place.file ? ring : (rings[opened + 1] ??= [])
        ahead.push({ place: one, before: place })
      }
    }
  }
  return undefined
}

function wayTo(end: Place, cameFrom: ReadonlyMap<Place, Place | undefined>): readonly Place[] {
  const way: Place[] = []
  for (let place: Place | undefined = end; place; place = cameFrom.get(place)) way.unshift(place)
  return way
}
