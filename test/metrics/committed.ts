import type { Folder } from './folders.ts'

/** What the committed page says. */
export interface Committed {
  /** By name; `test` is 0 where only `src` is measured. */
  readonly figures: ReadonlyMap<string, { readonly src: number; readonly test: number }>
  /** By path. */
  readonly folders: ReadonlyMap<string, Pick<Folder, 'lines' | 'nonNulls' | 'assertions'>>
  /** Files on each road, by its name. */
  readonly roads: ReadonlyMap<string, readonly string[]>
}

/** Reads the page that `writeTable` wrote; a page without figures has none. */
export function readTable(page: string): Committed {
  const sections = new Map(page.split(/^## /m).map((text) => [text.split('\n', 1)[0] ?? '', text]))
  const rows = (title: string): readonly (readonly string[])[] => rowsOf(sections.get(title) ?? '')
  return {
    figures: new Map(
      rows('Figures').map(([name = '', src = '', test = '']) => [
        name,
        { src: number(src), test: number(test) },
      ]),
    ),
    folders: new Map(
      rows('Folders').map(([path = '', , lines = '', nonNulls = '', assertions = '']) => [
        path.replaceAll('`', ''),
        { lines: number(lines), nonNulls: number(nonNulls), assertions: number(assertions) },
      ]),
    ),
    roads: new Map(
      [...sections].flatMap(([title, text]) =>
        title.startsWith(ROAD) ? [[title.slice(ROAD.length), filesOf(text)] as const] : [],
      ),
    ),
  }
}

const ROAD = 'Road '

const number = (cell: string): number => Number(cell.replaceAll(',', ''))

/** Without the header and the line below it. */
const rowsOf = (section: string): readonly (readonly string[])[] =>
  section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )

const filesOf = (section: string): readonly string[] =>
  [...section.matchAll(/^\d+\. `(.+)`$/gm)].flatMap(([, file]) => file ?? [])
