import type { Committed } from './committed.ts'
import { figuresOf, type Figure } from './figures.ts'
import { foldersOf, folderOf } from './folders.ts'
import type { Part, Measured } from './measure.ts'

/** Sentences about the figures that have grown by more than they may, with what made them grow where that is known. */
export function growthSince(measured: Measured, committed: Committed): readonly string[] {
  return figuresOf(measured).flatMap((figure) => {
    const { name, src, test = 0, slack, alsoInTest, because } = figure
    if (slack === undefined) return []
    const before = committed.figures.get(name)
    if (!before) return `${name}: the table does not have this figure; it is ${src} in src`
    const grown = []
    if (src > before.src + slack)
      grown.push([
        `${name}: ${src} in src, the table has ${before.src}`,
        ...reasons(figure, measured.src, committed),
      ])
    if (alsoInTest && test > before.test + slack)
      grown.push([`${name}: ${test} in test, the table has ${before.test}`, because?.test ?? ''])
    return grown.map((lines) => lines.join('\n  '))
  })
}

/** Names of the figures that are better than the table says. */
export const improvedSince = (measured: Measured, { figures }: Committed): readonly string[] =>
  figuresOf(measured)
    .filter(({ name, src, slack }) => slack !== undefined && src + slack < (figures.get(name)?.src ?? 0))
    .map(({ name }) => name)

function reasons({ because, sumOf, road }: Figure, src: Part, committed: Committed): readonly string[] {
  if (because?.src) return [because.src]
  if (sumOf) return grownFolders(sumOf, src, committed)
  const before = committed.roads.get(road?.name ?? '')
  return (road?.files ?? []).filter((file) => !before?.includes(file)).map((file) => `new on it: ${file}`)
}

/** How many files of a folder are named. */
const NAMED_FILES = 12

function grownFolders(
  key: NonNullable<Figure['sumOf']>,
  { files }: Part,
  committed: Committed,
): readonly string[] {
  return foldersOf(files).flatMap((folder) => {
    const before = committed.folders.get(folder.path)?.[key] ?? 0
    if (folder[key] <= before) return []
    const most = files
      .filter((file) => folderOf(file.path) === folder.path && file[key] > 0)
      .toSorted((a, b) => b[key] - a[key])
      .slice(0, NAMED_FILES)
      .map((file) => `${file.path} ${file[key]}`)
    return `${folder.path}: ${folder[key]} after ${before}, most in ${most.join(', ')}`
  })
}
