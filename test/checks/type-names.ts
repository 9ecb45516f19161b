import type { Sources } from '../metrics/source-files.ts'

/** Names that stand for two types, and why both keep them. */
const SHARED_NAMES: ReadonlyMap<string, string> = new Map([
  ['Caller', 'who runs a command and who runs tools: no file knows both'],
])

/** One sentence for each name that more than one exported type of `src` has, or that `shared` lists in vain. */
export function sharedTypeNames(sources: Sources, shared = SHARED_NAMES): readonly string[] {
  const files = new Map<string, string[]>()
  for (const [path, text] of sources) {
    if (!path.startsWith('src/')) continue
    for (const [, name = ''] of text.matchAll(EXPORTED_TYPE)) {
      files.set(name, [...(files.get(name) ?? []), path])
    }
  }
  const twice = [...files].filter(([, paths]) => paths.length > 1)
  const problems = twice
    .filter(([name]) => !shared.has(name))
    .map(([name, paths]) => `${paths.join(', ')}: each exports a type ${name}; give all but one another name`)
  const alone = [...shared.keys()].filter((name) => !twice.some(([found]) => found === name))
  return [
    ...problems,
    ...alone.map(
      (name) => `test/checks/type-names.ts: only one type is called ${name}; take it off the list`,
    ),
  ]
}

const EXPORTED_TYPE = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm
