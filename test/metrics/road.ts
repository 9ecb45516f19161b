import type { Graph, Place } from './graph.ts'
import { legByCalls, legByType } from './legs.ts'

/**
 * One step on a road. Places are written `file:declaration`.
 *
 * - `from` stands there: where the road begins, or back at a place that it has passed.
 * - `to` goes there by calls from where one stands.
 * - `aside` does so for what runs on the way and returns; one stays where one stands.
 * - `data` is a file that no import shows.
 *
 * With `through`, control gets there by an interface or into another process: one knows a value as that type, and
 * what one gets to gives such values.
 */
export type Step =
  | { readonly from: string }
  | { readonly to: string; readonly through?: string }
  | { readonly aside: string; readonly through?: string }
  | { readonly data: string }

/** A way through the server, as a reader follows it. */
export interface Road {
  readonly name: string
  /** As many files as it is to come down to. */
  readonly wanted: number
  readonly steps: readonly Step[]
}

/** What following a road found. */
export interface FollowedRoad extends Pick<Road, 'name' | 'wanted'> {
  /** To be opened, in this order. */
  readonly files: readonly string[]
  /** Further files that are called from the road. */
  readonly called: readonly string[]
  /** Sentences about places that do not exist, and about steps that cannot be taken. */
  readonly problems: readonly string[]
}

/** Follows a road. A step that cannot be taken is a problem, and the next one starts where it should have ended. */
export function followRoad(road: Road, graph: Graph, hasFile: (path: string) => boolean): FollowedRoad {
  const passed = new Set<Place>()
  const files = new Set<string>()
  const problems: string[] = []
  const complain = (sentence: string): void => void problems.push(`${road.name}: ${sentence}`)

  let here: Place | undefined
  for (const step of road.steps) here = take(step, here)
  const called = [...passed].flatMap((place) => graph.uses(place, 'values').map((one) => one.file))
  return {
    name: road.name,
    wanted: road.wanted,
    files: [...files],
    called: [...new Set(called)].filter((file) => !files.has(file)),
    problems,
  }

  function placeAt(written: string): Place | undefined {
    const colon = written.lastIndexOf(':')
    const place = graph.find(written.slice(0, colon), written.slice(colon + 1))
    if (!place) complain(`${written} does not exist (any more)`)
    return place
  }

  function open(place: Place): void {
    passed.add(place)
    files.add(place.file)
  }

  function go(here: Place, written: string, through: string | undefined): Place {
    const there = placeAt(written)
    const type = through === undefined ? undefined : placeAt(through)
    if (!there || (through !== undefined && !type)) return there ?? here
    const leg = type ? legByType(graph, here, there, type) : legByCalls(graph, here, there)
    if ('problem' in leg) complain(leg.problem)
    else leg.way.forEach(open)
    return there
  }

  function take(step: Step, here: Place | undefined): Place | undefined {
    if ('data' in step) {
      if (hasFile(step.data)) files.add(step.data)
      else complain(`${step.data} does not exist (any more)`)
      return here
    }
    if ('from' in step) {
      const place = placeAt(step.from)
      if (place && here && !passed.has(place)) complain(`it goes back to ${step.from}, where it has not been`)
      if (place) open(place)
      return place ?? here
    }
    if (!here) return (complain('it must begin with a place to start from'), undefined)
    if ('to' in step) return go(here, step.to, step.through)
    go(here, step.aside, step.through)
    return here
  }
}
