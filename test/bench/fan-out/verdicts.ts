import { report, tableOf } from '../measure.ts'
import type { CrowdFigures, TalkFigures } from './figures.ts'

/** A figure that is wanted, and what was seen; absent from the list if the run did not measure it. */
export interface Verdict {
  readonly what: string
  readonly seen: string
  readonly met: boolean
}

export interface Measured {
  readonly crowds: readonly CrowdFigures[]
  readonly talks: readonly TalkFigures[]
}

/** Prints which figures were met or missed, and gives the exit status. */
export function judge(title: string, verdicts: readonly Verdict[]): number {
  report(title, [
    ['', '', ''],
    ...verdicts.map(({ what, seen, met }) => [met ? 'met' : 'MISSED', what, seen]),
  ])
  return verdicts.every(({ met }) => met) ? 0 : 1
}

/** Prints logins and memory, and deliveries: a row for each contender and rate. */
export function reportMeasured(clients: number, { crowds, talks }: Measured): void {
  const arrivals = crowds.map((crowd) => ({
    '': crowd.contender,
    'logins/s': crowd.loginsPerS,
    'to prompt p50 ms': crowd.prompt50,
    p95: crowd.prompt95,
    'KiB a connection': crowd.residentKiB,
  }))
  report(`${clients} clients: coming in`, tableOf(arrivals))
  const deliveries = talks.map((talk) => ({
    'lines/s': `${talk.rate}`,
    '': talk.contender,
    'p50 ms': talk.p50,
    p95: talk.p95,
    p99: talk.p99,
    lost: `${talk.lost}`,
    of: `${talk.expected}`,
    disordered: `${talk.disordered}`,
    'CPU ms/1,000': talk.cpuPer1000,
    bytes: talk.bytesPerDelivery,
    packets: talk.packetsPerDelivery,
    'drivers busy': talk.driversBusy,
  }))
  report(`${clients} clients: talk`, tableOf(deliveries))
}

/** What is wanted of sshawl beside the others in the same run. */
export function verdicts({ crowds, talks }: Measured): readonly Verdict[] {
  const isOurs = ({ contender }: { readonly contender: string }): boolean => contender === 'sshawl'
  const ours = talks.filter(isOurs)
  return [
    ...ours.flatMap((talk) => ofTalk(talk, talks)),
    // Ten logins are over in fifty milliseconds, and what a server loads once is spread over too few connections.
    ...crowds
      .filter((crowd) => isOurs(crowd) && crowd.clients >= 100)
      .flatMap((crowd) => ofCrowd(crowd, crowds)),
    ...ofGrowth(ours),
  ]
}

function ofTalk(ours: TalkFigures, talks: readonly TalkFigures[]): readonly Verdict[] {
  const { clients, rate, lost, expected, p99, cpuPer1000 } = ours
  const at = `${clients} clients, ${rate} lines/s`
  const alike = talks.filter((talk) => talk.clients === clients && talk.rate === rate)
  const [bare, sshChat] = ['bare', 'ssh-chat'].map((name) =>
    alike.find(({ contender }) => contender === name),
  )
  const isLarge = clients === 500 && rate === 50
  const lateMs = isLarge ? 40 : clients === 100 && rate === 20 ? 15 : undefined
  const judged: Verdict[] = [
    {
      what: `${at}: every line delivered, in order, nobody thrown out`,
      seen: `${lost} of ${expected} lost, ${ours.disordered} screens out of order, ${ours.gone} gone`,
      met: lost + ours.disordered + ours.gone === 0,
    },
  ]
  if (bare && lateMs !== undefined)
    judged.push(atMost(`${at}: p99 beside the bare room's, ms`, p99, bare.p99 + lateMs))
  if (sshChat && isLarge) judged.push(atMost(`${at}: p99 beside ssh-chat's, ms`, p99, sshChat.p99))
  if (bare && isLarge)
    judged.push(
      atMost(`${at}: processor per delivery beside the bare room's`, cpuPer1000 / bare.cpuPer1000, 1.5),
    )
  return judged
}

function ofCrowd(ours: CrowdFigures, crowds: readonly CrowdFigures[]): readonly Verdict[] {
  const { clients, loginsPerS, residentKiB } = ours
  const at = `${clients} clients`
  const others = crowds.filter((crowd) => crowd.clients === clients)
  return others.flatMap((other) => {
    if (other.contender === 'ssh-chat')
      return [atLeast(`${at}: logins/s beside ssh-chat's`, loginsPerS / other.loginsPerS, 1)]
    if (other.contender !== 'bare') return []
    return [
      atLeast(`${at}: logins/s beside the bare room's`, loginsPerS / other.loginsPerS, 0.6),
      atMost(`${at}: KiB a connection above the bare room's`, residentKiB - other.residentKiB, 100),
    ]
  })
}

/** What a delivery costs must not grow with the people in the room. */
const ofGrowth = (ours: readonly TalkFigures[]): readonly Verdict[] =>
  ours.flatMap((large) => {
    const small = ours.find(({ clients, rate }) => clients === 100 && rate === large.rate)
    if (large.clients !== 500 || !small) return []
    const what = `${large.rate} lines/s: cost of a delivery with 500 clients beside that with 100`
    return [atMost(what, large.cpuPer1000 / small.cpuPer1000, 1.3)]
  })

const atMost = (what: string, figure: number, limit: number): Verdict => ({
  what,
  seen: `${figure.toFixed(2)}, wanted at most ${limit.toFixed(2)}`,
  met: figure <= limit,
})

const atLeast = (what: string, figure: number, limit: number): Verdict => ({
  what,
  seen: `${figure.toFixed(2)}, wanted at least ${limit.toFixed(2)}`,
  met: figure >= limit,
})
