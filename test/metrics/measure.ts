import { importCycles } from './cycles.ts'
import { createGraph } from './graph.ts'
import { parameterObjects, type ParameterObject } from './parameters.ts'
import { parseFile, type FileFacts } from './parse-file.ts'
import { followRoad, type FollowedRoad, type Road } from './road.ts'
import type { Sources } from './source-files.ts'

/** All that was measured, from which figures are made. */
export interface Measured {
  readonly src: Part
  readonly test: Part
  readonly roads: readonly FollowedRoad[]
}

/** What was measured of `src` or of `test`. */
export interface Part {
  readonly files: readonly FileFacts[]
  /** The largest first. */
  readonly parameterObjects: readonly ParameterObject[]
  /** Groups of files that import each other in a ring. */
  readonly cycles: readonly (readonly string[])[]
}

/** Measures a source tree. Throws where a file is not valid. */
export function measure(sources: Sources, roads: readonly Road[]): Measured {
  const files = [...sources]
    .filter(([path]) => path.endsWith('.ts'))
    .map(([path, text]) => parseFile(path, text))
  const graph = createGraph(files)
  const partOf = (folder: string): Part => {
    const inside = files.filter((file) => file.path.startsWith(`${folder}/`))
    return {
      files: inside,
      parameterObjects: parameterObjects(inside, graph),
      cycles: importCycles(inside),
    }
  }
  return {
    src: partOf('src'),
    test: partOf('test'),
    roads: roads.map((road) => followRoad(road, graph, (path) => sources.has(path))),
  }
}
