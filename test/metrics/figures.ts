import { crowded, foldersOf, MAX_FLAT } from './folders.ts'
import type { Measured, Part } from './measure.ts'
import type { FollowedRoad } from './road.ts'
import { largest, quantile, sum } from './statistics.ts'

/** What is known of a figure before anything is measured. */
interface Aim {
  /** Which number of each folder it is the sum of. */
  readonly sumOf?: 'lines' | 'nonNulls' | 'assertions'
  /** What `src` is to come down to. */
  readonly wanted?: number
  /** By how much it may grow in `src` before the check fails; absent where it may grow as it likes. */
  readonly slack?: number
  /** True where it may not grow in `test` either. */
  readonly alsoInTest?: true
}

/** One line of the table. */
export interface Figure extends Aim {
  readonly name: string
  readonly src: number
  /** Absent where only `src` is measured. */
  readonly test?: number
  /** What makes it as large as it is, where one thing does. */
  readonly because?: { readonly src: string | undefined; readonly test: string | undefined }
  /** The road whose files it counts. */
  readonly road?: FollowedRoad
}

interface Measure extends Aim {
  readonly name: string
  readonly of: (part: Part) => number
  readonly because?: (part: Part) => string | undefined
}

/** All figures, in the order of the table. */
export const figuresOf = ({ src, test, roads }: Measured): readonly Figure[] => [
  ...MEASURES.map(({ of, because, ...aim }) => ({
    ...aim,
    src: of(src),
    test: of(test),
    ...(because ? { because: { src: because(src), test: because(test) } } : {}),
  })),
  ...roads.flatMap(lengthsOf),
]

const summed =
  (key: 'lines' | 'nonNulls' | 'assertions' | 'constAssertions') =>
  ({ files }: Part): number =>
    sum(files, (file) => file[key])

const fileLines = ({ files }: Part): readonly number[] => files.map((file) => file.lines)
const exportsAFile = ({ files }: Part): readonly number[] => files.map((file) => file.exports)
const functionsOf = ({ files }: Part) =>
  files.flatMap(({ path, functions }) => functions.map((one) => ({ ...one, path })))
const functionLines = (part: Part): readonly number[] => functionsOf(part).map((one) => one.lines)
const top = (values: readonly number[]): number => Math.max(0, ...values)

/** Fields of others' business that one function may take. */
const MAX_FIELDS = 8

const MEASURES: readonly Measure[] = [
  { name: 'files', of: ({ files }) => files.length },
  { name: 'lines', of: summed('lines'), sumOf: 'lines', wanted: 21_500, slack: 100 },
  { name: 'lines of a file, median', of: (part) => quantile(fileLines(part), 0.5), slack: 5 },
  { name: 'lines of a file, p90', of: (part) => quantile(fileLines(part), 0.9), slack: 5 },
  {
    name: 'lines of the longest file',
    of: (part) => top(fileLines(part)),
    slack: 5,
    because: ({ files }) => largest(files, (file) => file.lines)?.path,
  },
  { name: 'lines of a function, median', of: (part) => quantile(functionLines(part), 0.5), slack: 1 },
  { name: 'lines of a function, p90', of: (part) => quantile(functionLines(part), 0.9), slack: 2 },
  {
    name: 'lines of the longest function',
    of: (part) => top(functionLines(part)),
    slack: 5,
    because(part) {
      const longest = largest(functionsOf(part), (one) => one.lines)
      return longest && `${longest.path}:${longest.line}`
    },
  },
  { name: '`!` (not null)', of: summed('nonNulls'), sumOf: 'nonNulls', wanted: 60, slack: 0 },
  { name: '`as`, without `as const`', of: summed('assertions'), sumOf: 'assertions', slack: 0 },
  { name: '`as const`', of: summed('constAssertions') },
  { name: 'exports of a file, median', of: (part) => quantile(exportsAFile(part), 0.5) },
  { name: 'exports of a file, p90', of: (part) => quantile(exportsAFile(part), 0.9) },
  {
    name: 'exports of a file, most',
    of: (part) => top(exportsAFile(part)),
    slack: 1,
    because: ({ files }) => largest(files, (file) => file.exports)?.path,
  },
  {
    name: 'fields of the largest parameter object',
    of: ({ parameterObjects: [first] }) => first?.fields ?? 0,
    slack: 0,
    because: ({ parameterObjects: [first] }) => first && `${first.type} in ${first.file}`,
  },
  {
    name: `parameter objects of more than ${MAX_FIELDS} fields`,
    of: (part) => part.parameterObjects.filter((one) => one.fields > MAX_FIELDS).length,
    wanted: 0,
    slack: 0,
  },
  {
    name: `folders of more than ${MAX_FLAT} files, lists apart`,
    of: ({ files }) => crowded(foldersOf(files)).length,
    wanted: 0,
    slack: 0,
    because: ({ files }) =>
      crowded(foldersOf(files))
        .map((folder) => folder.path)
        .join(', '),
  },
  {
    name: 'cycles of imports, types included',
    of: ({ cycles }) => cycles.length,
    wanted: 0,
    slack: 0,
    alsoInTest: true,
    because: ({ cycles }) => cycles.map((files) => files.join(' + ')).join('; '),
  },
]

/** Shorter ones than today's are wanted of all roads; what they call on the way is only kept from growing. */
function lengthsOf(road: FollowedRoad): readonly Figure[] {
  const { name, wanted, files, called } = road
  return [
    { name: `files on the road ${name}`, src: files.length, wanted, slack: 0, road },
    { name: `files on the road ${name}, and called from it`, src: files.length + called.length, slack: 3 },
  ]
}
