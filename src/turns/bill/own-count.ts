import type { Usage } from '../../chat/entry.ts'
import type { Calibrations, CountedRequest } from '../../prompt/calibration.ts'
import type { ModelSettings } from '../../prompt/model-settings.ts'
import { type Composer, WrapError } from '../../prompt/ports.ts'
import type { ReportedSoFar } from '../ports.ts'
import { usesTokens } from './token-quotas.ts'

/** What came of a request, as far as it went. */
export interface Received {
  /** All that the model wrote: thoughts, text and calls. */
  readonly text: string
  readonly reported: ReportedSoFar
}

/** One request, and the settings that it was made with. */
export interface CountedStep {
  readonly settings: ModelSettings
  readonly size: CountedRequest
}

/**
 * The usage of a request whose provider did not report all of it: what it reported, and our own count for the rest.
 * Undefined for the offline helper, which is no language model. Rejects with `StorageError`.
 */
export type OwnCount = (request: CountedStep, received: Received) => Promise<Usage | undefined>

/** What our count is made with. */
export interface OwnCountParts {
  readonly composer: Pick<Composer, 'count'>
  readonly calibrations: Pick<Calibrations, 'meanFactor'>
}

/** Where text cannot be counted: English has about so many characters a token. */
const CHARACTERS_PER_TOKEN = 4

export function createOwnCount({ composer, calibrations }: OwnCountParts): OwnCount {
  async function tokensOf(text: string, encoding: string): Promise<number> {
    try {
      return text === '' ? 0 : ((await composer.count(encoding, [text]))[0] ?? 0)
    } catch (error) {
      if (!(error instanceof WrapError)) throw error
      return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
    }
  }

  return async ({ settings, size }, { text, reported }) => {
    if (!usesTokens(settings)) return undefined
    const factor = await calibrations.meanFactor(settings)
    const input = reported.input ?? Math.round(size.counted * factor)
    // A report in the middle of an answer counts what was written by then.
    const output = Math.max(reported.output ?? 0, await tokensOf(text, settings.encoding))
    const estimated = { input: input - (reported.input ?? 0), output: output - (reported.output ?? 0) }
    const isEstimate = estimated.input + estimated.output > 0
    return {
      input,
      output,
      ...(reported.cached === undefined ? {} : { cached: reported.cached }),
      ...(isEstimate ? { estimated } : {}),
    }
  }
}
