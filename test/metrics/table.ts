import { format, resolveConfig } from 'prettier'
import { figuresOf } from './figures.ts'
import { foldersOf } from './folders.ts'
import type { Measured } from './measure.ts'
import type { FollowedRoad } from './road.ts'

/** How many of the largest parameter objects are shown. */
const SHOWN_OBJECTS = 5

/** The page with all that was measured, formatted as the package formats its pages. `file` is where it will stand. */
export async function writeTable(measured: Measured, file: string): Promise<string> {
  const options = await resolveConfig(file)
  return await format(pageOf(measured), { ...options, parser: 'markdown' })
}

const pageOf = (measured: Measured): string =>
  [INTRODUCTION, figures(measured), objects(measured), folders(measured), ...measured.roads.map(road)].join(
    '\n\n',
  )

const INTRODUCTION = `# Metrics

Written by \`npm run metrics -- --write\`. \`npm run check\` fails where a figure has grown by more than it may.

- Files are those of TypeScript. Functions are those with a name: declared, methods, or given to a variable or property.
- A parameter object is the type of a parameter that hands over parts of the program; inherited fields count.
- A road is the files that one opens to follow something through the server: those on the shortest ways by calls
  between the stations in \`test/metrics/roads.ts\`, and what declares a type where control passes through an interface.`

function figures(measured: Measured): string {
  const rows = figuresOf(measured).map(({ name, src, test, wanted, slack }) => [
    name,
    ...[src, test, wanted].map(number),
    slack === undefined ? '' : `${slack}`,
  ])
  return section('Figures', ['figure', 'src', 'test', 'wanted of src', 'src may grow by'], rows)
}

function objects({ src }: Measured): string {
  const rows = src.parameterObjects
    .slice(0, SHOWN_OBJECTS)
    .map(({ type, fields, file }) => [`\`${type}\` in \`${file}\``, number(fields)])
  return section('Largest parameter objects', ['type', 'fields'], rows)
}

function folders({ src }: Measured): string {
  const rows = foldersOf(src.files).map(({ path, files, lines, nonNulls, assertions }) => [
    `\`${path}\``,
    ...[files, lines, nonNulls, assertions].map(number),
  ])
  return section('Folders', ['folder', 'files', 'lines', '`!`', '`as`'], rows)
}

const road = ({ name, files }: FollowedRoad): string =>
  [`## Road ${name}`, ...files.map((file, index) => `${index + 1}. \`${file}\``)].join('\n')

function section(title: string, header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [
    `## ${title}\n`,
    line(header),
    line(header.map((_, index) => (index === 0 ? '-' : '-:'))),
    ...rows.map(line),
  ].join('\n')
}

const number = (value: number | undefined): string => value?.toLocaleString('en-US') ?? ''
