import { disordered } from './order.ts'
import type { Round } from './drivers.ts'
import type { Connected } from './driver.ts'

/** What was measured of one contender with a number of clients before they spoke. */
export type CrowdFigures = ReturnType<typeof crowdFigures>

/** What was measured of one contender at one size and rate. */
export type TalkFigures = ReturnType<typeof talkFigures>

/** A round, with the processor time that the server used for it. */
export type MeasuredRound = Round & { readonly serverCpuMs: number }

/** The value below which that part of the sorted numbers lies; NaN of none. */
export const quantile = (sorted: Float32Array | readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? NaN

/** Figures of all parts in which a crowd came. `residentKiB` is for each connection, idle. */
export function crowdFigures(contender: string, parts: readonly Connected[], residentKiB: number) {
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

/** All rounds of one contender at one size and rate, taken together. Latencies are in ms. */
export function talkFigures(
  what: { readonly contender: string; readonly clients: number; readonly rate: number },
  rounds: readonly MeasuredRound[],
) {
  const sumOf = (of: (round: MeasuredRound) => number): number =>
    rounds.reduce((total, round) => total + of(round), 0)
  const latencies = Float32Array.from(
    rounds.flatMap(({ screens }) => screens.flatMap((screen) => Array.from(screen.latencies))),
  ).toSorted()
  const expected = sumOf((round) => round.expected)
  // The server also delivers to the speaker, whose own screen is not looked at.
  const deliveries = latencies.length * (what.clients / Math.max(1, what.clients - 1))
  return {
    ...what,
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
    expected,
    lost: expected - latencies.length,
    /** Screens that show another order than others; 0 is wanted. */
    disordered: sumOf(({ screens, speakers, first }) => disordered(screens, speakers, first)),
    /** Of the server, in ms for 1,000 deliveries. */
    cpuPer1000: (sumOf(({ serverCpuMs }) => serverCpuMs) / deliveries) * 1000,
    bytesPerDelivery: sumOf(({ bytes }) => bytes) / deliveries,
    packetsPerDelivery: sumOf(({ packets }) => packets) / deliveries,
    /** All load drivers together, in processors; near 1 a driver they measure themselves. */
    driversBusy: sumOf(({ cpuMs }) => cpuMs) / sumOf(({ tookMs }) => tookMs),
    gone: Math.max(...rounds.map(({ gone }) => gone.length)),
  }
}
