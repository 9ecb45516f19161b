import type { Graph, Place } from './graph.ts'
import { shortestPath } from './shortest-path.ts'

/** The places on the way from one station to another, both included, or a sentence that says why there is none. */
export type Leg = { readonly way: readonly Place[] } | { readonly problem: string }

/** The way that opens the fewest files by calls alone. */
export function legByCalls(graph: Graph, from: Place, to: Place): Leg {
  const way = shortestPath(
    from,
    (place) => place === to,
    (place) => graph.uses(place, 'values'),
  )
  if (way) return { way }
  return { problem: `no call leads from ${shown(from)} to ${shown(to)}; name what is between them` }
}

/**
 * The way through an interface or into another process, which no call shows: `from` knows a value as the type
 * `through`, and `to` makes such values. Files that must be opened to learn the type are on the way.
 */
export function legByType(graph: Graph, from: Place, to: Place, through: Place): Leg {
  const way = shortestPath(
    from,
    (place) => place === through,
    (place) => knownFrom(graph, place),
  )
  if (!way) return { problem: `${shown(from)} names no type that leads to ${shown(through)}` }
  if (!givesType(graph, to, through))
    return { problem: `${shown(to)} does not say that it returns, implements or extends ${shown(through)}` }
  return { way: [...way, to] }
}

/** The types that a declaration or its neighbours in the file name. Calls into other files would make anything known. */
const knownFrom = (graph: Graph, place: Place): readonly Place[] => [
  ...graph.uses(place, 'types'),
  ...graph.uses(place, 'values').filter((one) => one.file === place.file),
]

function givesType(graph: Graph, place: Place, type: Place, seen = new Set<Place>()): boolean {
  if (seen.has(place)) return false
  seen.add(place)
  const { gives, maker } = place.declaration
  const given = [...gives, ...(maker === undefined ? [] : [maker])].flatMap(
    (name) => graph.resolve(place.file, name) ?? [],
  )
  return given.some((one) => one === type || givesType(graph, one, type, seen))
}

const shown = ({ file, name }: Place): string => `${file}:${name}`
