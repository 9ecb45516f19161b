import { disordered } from './order.ts'
import type { Round } from './drivers.ts'
import type { Connected } from './messages.ts'

/** What was measured of one contender with so many clients before they spoke. */
export interface CrowdFigures {
  readonly contender: string
  readonly clients: number
  readonly loginsPerS: number
  readonly prompt50: number
  readonly prompt95: number
  /** Resident memory of the server for each connection, idle, in KiB. */
  readonly residentKiB: number
}

/** What was measured of one contender at one size and rate. Latencies in ms. */
export interface TalkFigures {
  readonly contender: string
  readonly clients: number
  readonly rate: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly expected: number
  readonly lost: number
  /** Screens that show another order than others; 0 is wanted. */
  readonly disordered: number
  /** Of the server, in ms for 1,000 deliveries. */
  readonly cpuPer1000: number
  readonly bytesPerDelivery: number
  readonly packetsPerDelivery: number
  /** How busy the load drivers were, all together, in processors; near 1 a driver they measure themselves. */
  readonly driversBusy: number
  readonly gone: number
}

/** A round, with the processor time that the server used for it. */
export interface MeasuredRound extends Round {
  readonly serverCpuMs: number
}

/** The value below which so large a part of the sorted numbers lies; NaN of none. */
export const quantile = (sorted: Float32Array | readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? NaN

/** From the times of logins to figures: of all parts in which a crowd came. */
export function crowdFigures(
  contender: string,
  parts: readonly Connected[],
  residentKiB: number,
): CrowdFigures {
  const promptMs = parts.flatMap((part) => part.promptMs)
  const tookUs = parts.reduce((sum, { startUs, endUs }) => sum + endUs - startUs, 0)
  const sorted = promptMs.toSorted((a, b) => a - b)
  return {
    contender,
    clients: promptMs.length,
    loginsPerS: (promptMs.length * 1e6) / tookUs,
    prompt50: quantile(sorted, 0.5),
    prompt95: quantile(sorted, 0.95),
    residentKiB,
  }
}

const sumOf = (rounds: readonly MeasuredRound[], of: (round: MeasuredRound) => number): number =>
  rounds.reduce((total, round) => total + of(round), 0)

/** All rounds of one contender at one size and rate, taken together. */
export function talkFigures(
  what: Pick<TalkFigures, 'contender' | 'clients' | 'rate'>,
  rounds: readonly MeasuredRound[],
): TalkFigures {
  const latencies = Float32Array.from(
    rounds.flatMap(({ screens }) => screens.flatMap((screen) => Array.from(screen.latencies))),
  ).toSorted()
  const expected = sumOf(rounds, (round) => round.expected)
  // The server also delivers to the speaker, whose own screen is not looked at.
  const deliveries = latencies.length * (what.clients / Math.max(1, what.clients - 1))
  return {
    ...what,
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
    expected,
    lost: expected - latencies.length,
    disordered: sumOf(rounds, ({ screens, speakers, first }) => disordered(screens, speakers, first)),
    cpuPer1000: (sumOf(rounds, ({ serverCpuMs }) => serverCpuMs) / deliveries) * 1000,
    bytesPerDelivery: sumOf(rounds, ({ bytes }) => bytes) / deliveries,
    packetsPerDelivery: sumOf(rounds, ({ packets }) => packets) / deliveries,
    driversBusy: sumOf(rounds, ({ cpuMs }) => cpuMs) / sumOf(rounds, ({ tookMs }) => tookMs),
    gone: Math.max(...rounds.map(({ gone }) => gone.length)),
  }
}
