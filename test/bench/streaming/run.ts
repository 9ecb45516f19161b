/**
 * streaming/: a model's reply that comes at 200 tokens a second, on many screens, while people type and speak beside it.
 *
 *     npm run bench -- streaming                                     # 200 screens, 10 seconds of reply
 *     npm run bench -- streaming --screens 50 --seconds 5 --tokens 200 --drafters 8 --speakers 10
 *
 * A local HTTP server plays the model; each piece of its reply is a marker that says when it was sent. Smooth means
 * that the gaps between packets with new pieces are short on every screen. Drafters type on an emulated terminal, whose
 * prompt must show what was typed, and never anything else. It exits 1 if a wanted figure is missed.
 */
import { withCleanup } from '../../support/load/cleanup.ts'
import { cpuMs } from '../../support/load/process-figures.ts'
import { raisedLimits } from '../../support/load/raised-limits.ts'
import { tokenText, nowUs } from '../../support/load/tokens.ts'
import { startChild } from '../../support/load/typescript-child.ts'
import { startModelServer, streams } from '../../support/model-server.ts'
import { report } from '../measure.ts'
import { readOptions } from '../options.ts'
import { startSshawl } from '../fan-out/contenders.ts'
import { quantile } from '../fan-out/figures.ts'
import { judge } from '../fan-out/verdicts.ts'
import type { Watched, WatchRequest } from './driver.ts'

const DEFAULTS = { screens: 200, seconds: 10, tokens: 200, drafters: 8, speakers: 10 }

/** A gap that people do not see as a stop. */
const SMOOTH_MS = 250

/** Measures, prints, and resolves to the exit status. */
export async function runStreaming(args: readonly string[]): Promise<number> {
  const { screens, seconds, tokens, drafters, speakers } = readOptions(args, DEFAULTS)
  const { watched, cpuShare } = await withCleanup(async (cleanup) => {
    const models = await cleanup.add(startModelServer())
    const server = await cleanup.add(startSshawl(configFor(models.endpoint)))
    const driver = await cleanup.add(startChild(new URL('driver.ts', import.meta.url)))
    const pieces = tokens * seconds
    models.play(streams(pieces, 1000 / tokens, (number) => `${tokenText(number, nowUs())} `))
    const request: WatchRequest = { port: server.port, screens, drafters, speakers, model: 'qwen', pieces }
    const watching = driver.ask(request) as Promise<Watched>
    await Promise.race([models.arrived(1), watching])
    const cpuBefore = await cpuMs(server.pid)
    const startMs = performance.now()
    const watched = await watching
    return { watched, cpuShare: ((await cpuMs(server.pid)) - cpuBefore) / (performance.now() - startMs) }
  })
  const gaps = watched.gaps.toSorted()
  const latencies = watched.latencies.toSorted()
  const perSecond = Array.from(watched.frames, (frames) => (frames * 1000) / watched.tookMs).toSorted(
    (a, b) => a - b,
  )
  report(`streaming: ${tokens} tokens/s to ${screens} screens, ${drafters} drafting, ${speakers} speaking`, [
    ['', 'p50', 'p95', 'p99', 'longest'],
    ['ms between new pieces on a screen', ...[0.5, 0.95, 0.99, 1].map((part) => quantile(gaps, part))],
    ['ms from the model to a screen', ...[0.5, 0.95, 0.99, 1].map((part) => quantile(latencies, part))],
    [
      'frames a second of a screen (least, p05, p50)',
      ...[0, 0.05, 0.5].map((part) => quantile(perSecond, part || 1e-9)),
      '',
    ],
    ['processors the server used', cpuShare, '', '', ''],
    ['KiB a second to a screen', watched.bytes / 1.024 / watched.tookMs / screens, '', '', ''],
  ])
  const { screensWithoutEnd, looks, torn } = watched
  const gap99 = quantile(gaps, 0.99)
  return judge('streaming: what is wanted', [
    {
      what: 'smooth: p99 of the gaps, ms',
      seen: `${gap99.toFixed(1)}, wanted at most ${SMOOTH_MS}`,
      met: gap99 <= SMOOTH_MS,
    },
    {
      what: 'every screen shows the end of the reply',
      seen: `${screensWithoutEnd} do not`,
      met: screensWithoutEnd === 0,
    },
    {
      what: 'drafts are whole',
      seen: `${torn.length} of ${looks} looks were not${torn[0] ? `: ${torn[0]}` : ''}`,
      met: torn.length === 0 && looks > 0,
    },
  ])
}

const configFor = (endpoint: string): string => `
[[models]]
name = "qwen"
backend = "openai-compatible"
model = "qwen3:8b"
endpoint = "${endpoint}/v1"
context_window = 65536
max_output = 32768
${raisedLimits()}`
