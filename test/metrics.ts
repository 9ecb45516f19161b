/** What `npm run metrics` prints: how large the source is, folder by folder, and what is longest in it. */
import { fileURLToPath } from 'node:url'
import { bannedPhrases } from './checks/phrases.ts'
import { functionsOf, ofCode } from './checks/size.ts'
import { readSources } from './checks/sources.ts'

const sources = await readSources(fileURLToPath(new URL('..', import.meta.url)))
const files = [...sources]
  .filter(([path]) => path.endsWith('.ts'))
  .map(([path, text]) => ({ path, lines: text.split('\n').length - 1, code: ofCode(text), text }))

/** The folder that a file is counted in: `src/chat`, `test/e2e`. */
const folderOf = (path: string): string => /^\w+\/[^/]+(?=\/)/.exec(path)?.[0] ?? path

for (const root of ['src', 'test']) {
  const own = files.filter(({ path }) => path.startsWith(`${root}/`))
  print(root, own)
  const folders = groupBy(own, ({ path }) => folderOf(path))
  for (const [folder, inside] of [...folders].toSorted((a, b) => linesOf(b[1]) - linesOf(a[1])))
    print(`  ${folder}`, inside)
}

console.log('\nlongest functions of src (lines)')
const functions = files
  .filter(({ path }) => path.startsWith('src/'))
  .flatMap(({ path, text }) => functionsOf(path, text))
for (const { name, lines } of functions.toSorted((a, b) => b.lines - a.lines).slice(0, 20))
  console.log(`${String(lines).padStart(6)} ${name}`)

console.log('\nbanned phrases')
for (const [root, found] of groupBy(bannedPhrases(sources), (phrase) => phrase.split(/[/:]/, 1)[0]!))
  console.log(`${String(found.length).padStart(6)} ${root}`)

function print(name: string, inside: typeof files): void {
  const code = Math.round(inside.reduce((sum, one) => sum + one.code, 0) / 1000)
  const numbers = `${inside.length} files ${linesOf(inside)} lines ${code} k characters of code`
  console.log(`${name.padEnd(30)} ${numbers}, longest ${Math.max(...inside.map(({ lines }) => lines))}`)
}

function linesOf(inside: typeof files): number {
  return inside.reduce((sum, { lines }) => sum + lines, 0)
}

/** `Map.groupBy`, which Node 20 lacks. */
function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return groups
}
