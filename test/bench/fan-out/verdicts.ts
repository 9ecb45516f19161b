import type { CrowdFigures, TalkFigures } from './figures.ts'

/** A figure that is wanted, and what was seen; absent from the list where the run did not measure it. */
export interface Verdict {
  readonly what: string
  readonly seen: string
  readonly met: boolean
}

/** Everything that one run measured. */
export interface Measured {
  readonly crowds: readonly CrowdFigures[]
  readonly talks: readonly TalkFigures[]
}

/** What is wanted of sshawl beside the others in the same run. */
export function verdicts({ crowds, talks }: Measured): readonly Verdict[] {
  return [
    ...talks.flatMap((talk) => ofTalk(talk, talks)),
    ...crowds.flatMap((crowd) => ofCrowd(crowd, crowds)),
    ...ofGrowth(talks),
  ]
}

const LATE_MS = new Map([
  ['500 clients, 50 lines/s', 40],
  ['100 clients, 20 lines/s', 15],
])

function ofTalk(ours: TalkFigures, talks: readonly TalkFigures[]): Verdict[] {
  if (ours.contender !== 'sshawl') return []
  const at = `${ours.clients} clients, ${ours.rate} lines/s`
  const other = (contender: string): TalkFigures | undefined =>
    talks.find(
      (talk) => talk.contender === contender && talk.clients === ours.clients && talk.rate === ours.rate,
    )
  const bare = other('bare')
  const sshChat = other('ssh-chat')
  const late = LATE_MS.get(at)
  const isLarge = ours.clients === 500 && ours.rate === 50
  return [
    {
      what: `${at}: every line delivered, in order, nobody thrown out`,
      seen: `${ours.lost} of ${ours.expected} lost, ${ours.disordered} screens out of order, ${ours.gone} gone`,
      met: ours.lost === 0 && ours.disordered === 0 && ours.gone === 0,
    },
    ...(bare && late !== undefined
      ? [atMost(`${at}: p99 beside the bare room's, ms`, ours.p99, bare.p99 + late)]
      : []),
    ...(sshChat && isLarge ? [atMost(`${at}: p99 beside ssh-chat's, ms`, ours.p99, sshChat.p99)] : []),
    ...(bare && isLarge
      ? [
          atMost(
            `${at}: processor per delivery beside the bare room's`,
            ours.cpuPer1000 / bare.cpuPer1000,
            1.5,
          ),
        ]
      : []),
  ]
}

function ofCrowd(ours: CrowdFigures, crowds: readonly CrowdFigures[]): Verdict[] {
  // Ten logins are over in fifty milliseconds, and what a server loads once is spread over too few connections.
  if (ours.contender !== 'sshawl' || ours.clients < 100) return []
  const other = (contender: string): CrowdFigures | undefined =>
    crowds.find((crowd) => crowd.contender === contender && crowd.clients === ours.clients)
  const bare = other('bare')
  const sshChat = other('ssh-chat')
  const at = `${ours.clients} clients`
  return [
    ...(bare
      ? [
          atLeast(`${at}: logins/s beside the bare room's`, ours.loginsPerS / bare.loginsPerS, 0.6),
          atMost(`${at}: KiB a connection above the bare room's`, ours.residentKiB - bare.residentKiB, 100),
        ]
      : []),
    ...(sshChat
      ? [atLeast(`${at}: logins/s beside ssh-chat's`, ours.loginsPerS / sshChat.loginsPerS, 1)]
      : []),
  ]
}

/** What a delivery costs must not grow with the people in the room. */
function ofGrowth(talks: readonly TalkFigures[]): Verdict[] {
  const ours = talks.filter(({ contender }) => contender === 'sshawl')
  return ours
    .filter(({ clients }) => clients === 500)
    .flatMap((large) => {
      const small = ours.find(({ clients, rate }) => clients === 100 && rate === large.rate)
      if (!small) return []
      const what = `${large.rate} lines/s: cost of a delivery with 500 clients beside that with 100`
      return [atMost(what, large.cpuPer1000 / small.cpuPer1000, 1.3)]
    })
}

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
