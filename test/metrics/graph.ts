import type { Declaration } from './declarations.ts'
import type { Binding } from './imports.ts'
import type { FileFacts } from './parse-file.ts'

/** A declaration in its file. The same object each time, so that it can be a key. */
export interface Place {
  readonly file: string
  readonly name: string
  readonly declaration: Declaration
}

/** How the declarations of all files use each other. */
export interface Graph {
  /** Undefined where a file or name does not exist; a name that a file only gives on is found where it is declared. */
  find(file: string, name: string): Place | undefined
  /** What a place uses: as values what it may call, as types what its values are known by. */
  uses(place: Place, kind: 'values' | 'types'): readonly Place[]
  /** What a name at the top of a file stands for. */
  resolve(file: string, name: string): Place | undefined
}

/** Joins files by their imports. */
export function createGraph(files: Iterable<FileFacts>): Graph {
  const byPath = new Map([...files].map((file) => [file.path, file]))
  const places = new Map(
    [...byPath.values()].flatMap((file) =>
      [...file.declarations].map(([name, declaration]): [string, Place] => [
        key(file.path, name),
        { file: file.path, name, declaration },
      ]),
    ),
  )

  function find(file: string, name: string, seen: readonly Binding[] = []): Place | undefined {
    const elsewhere = byPath.get(file)?.reexports.get(name)
    if (!elsewhere || seen.includes(elsewhere)) return places.get(key(file, name))
    return find(elsewhere.file, elsewhere.name, [...seen, elsewhere])
  }

  function resolve(file: string, name: string): Place | undefined {
    const binding = byPath.get(file)?.bindings.get(name)
    return binding ? find(binding.file, binding.name) : places.get(key(file, name))
  }

  return {
    find: (file, name) => find(file, name),
    resolve,
    uses: ({ file, declaration }, kind) =>
      [...declaration[kind]].flatMap((name) => resolve(file, name) ?? []),
  }
}

const key = (file: string, name: string): string => `${file}:${name}`
