import type { CrowdFigures, TalkFigures } from './figures.ts'
import type { Verdict } from './verdicts.ts'

type Table = readonly (readonly (string | number)[])[]

/** Logins and memory, a row for each contender. */
export const crowdTable = (crowds: readonly CrowdFigures[]): Table => [
  ['', 'logins/s', 'to prompt p50 ms', 'p95', 'KiB a connection'],
  ...crowds.map(({ contender, loginsPerS, prompt50, prompt95, residentKiB }) => [
    contender,
    loginsPerS,
    prompt50,
    prompt95,
    residentKiB,
  ]),
]

/** Deliveries, a row for each contender and rate. */
export const talkTable = (talks: readonly TalkFigures[]): Table => [
  [
    'lines/s',
    '',
    'p50 ms',
    'p95',
    'p99',
    'lost',
    'of',
    'disordered',
    'CPU ms/1,000',
    'bytes',
    'packets',
    'drivers busy',
  ],
  ...talks.map((talk) => [
    `${talk.rate}`,
    talk.contender,
    talk.p50,
    talk.p95,
    talk.p99,
    `${talk.lost}`,
    `${talk.expected}`,
    `${talk.disordered}`,
    talk.cpuPer1000,
    talk.bytesPerDelivery,
    talk.packetsPerDelivery,
    talk.driversBusy,
  ]),
]

/** Met or missed, with the figure. */
export const verdictTable = (verdicts: readonly Verdict[]): Table => [
  ['', '', ''],
  ...verdicts.map(({ what, seen, met }) => [met ? 'met' : 'MISSED', what, seen]),
]
