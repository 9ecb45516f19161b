import { posix } from 'node:path'
import type { EcmaScriptModule, Program } from 'oxc-parser'
import { walk } from 'oxc-walker'

/** A name in another file of ours. */
export interface Binding {
  readonly file: string
  readonly name: string
}

/** How a file is joined with others. */
export interface Imports {
  /** Paths of ours that it imports from, for types too. */
  readonly imports: readonly string[]
  /** Names of other files, by what they are called in this one. */
  readonly bindings: ReadonlyMap<string, Binding>
  /** What stands behind an exported name that is not declared in this file under that name. */
  readonly reexports: ReadonlyMap<string, Binding>
}

/** Reads the imports and exports of the file at `path`. A namespace (`import * as x`) is not followed. */
export function readImports(path: string, program: Program, module: EcmaScriptModule): Imports {
  const fileOf = (request: string): string => posix.join(posix.dirname(path), request)
  const bindings = bindingsOf(module, fileOf)
  return {
    imports: requestsOf(program).filter(isOurs).map(fileOf),
    bindings,
    reexports: reexportsOf(module, bindings, path, fileOf),
  }
}

/** What is imported from: by statements, by `export … from`, by `import('…')` as an expression or as a type. */
function requestsOf(program: Program): readonly string[] {
  const requests: string[] = []
  walk(program, {
    enter(node) {
      if ('source' in node && node.source?.type === 'Literal') requests.push(String(node.source.value))
    },
  })
  return requests
}

const isOurs = (request: string): boolean => request.startsWith('.')

function bindingsOf(
  { staticImports }: EcmaScriptModule,
  fileOf: (request: string) => string,
): ReadonlyMap<string, Binding> {
  const bindings = new Map<string, Binding>()
  for (const { moduleRequest, entries } of staticImports) {
    if (!isOurs(moduleRequest.value)) continue
    for (const { localName, importName } of entries)
      if (importName.name !== null)
        bindings.set(localName.value, { file: fileOf(moduleRequest.value), name: importName.name })
  }
  return bindings
}

function reexportsOf(
  { staticExports }: EcmaScriptModule,
  bindings: ReadonlyMap<string, Binding>,
  path: string,
  fileOf: (request: string) => string,
): ReadonlyMap<string, Binding> {
  const reexports = new Map<string, Binding>()
  for (const { moduleRequest, exportName, importName, localName } of staticExports.flatMap(
    (one) => one.entries,
  )) {
    const name = importName.name ?? localName.name
    if (exportName.name === null || name === null) continue
    if (moduleRequest) reexports.set(exportName.name, { file: fileOf(moduleRequest.value), name })
    else if (bindings.has(name) || name !== exportName.name)
      reexports.set(exportName.name, bindings.get(name) ?? { file: path, name })
  }
  return reexports
}
