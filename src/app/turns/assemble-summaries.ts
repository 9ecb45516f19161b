import type { Stores } from '../../adapters/storage/storage.ts'
import type { RoomName } from '../../chat/entry.ts'
import type { Room } from '../../chat/room.ts'
import type { Composer } from '../../prompt/ports.ts'
import type { TurnLimits } from '../../turns/turn.ts'
import { createMakeSummary } from '../../turns/summaries/make-summary.ts'
import { createRoomWork } from '../../turns/summaries/room-work.ts'
import { createSizes } from '../../turns/summaries/summary-rows.ts'
import { createSumUp } from '../../turns/summaries/sum-up.ts'
import { createSummaries, type Summaries } from '../../turns/summaries/summaries.ts'
import { createTroubles } from '../../turns/summaries/troubles.ts'
import type { AppContext } from '../context.ts'
import type { ModelServices } from './model-services.ts'

/** What the summaries of rooms are put together from. */
export interface SummaryAssembly {
  readonly context: Pick<AppContext, 'clock' | 'log'>
  readonly stores: Pick<Stores, 'chat' | 'prompts'>
  readonly models: ModelServices
  readonly composer: Pick<Composer, 'count'>
  /** A room by name, whoever may see it. */
  readonly anyRoom: (name: RoomName) => Promise<Room | undefined>
  /** Gives the name of the model that sums up rooms which name none; undefined for none. */
  readonly usualSummarizer: () => string | undefined
  readonly limits: TurnLimits
}

/** Joins the parts that sum up rooms: what is due, who writes it, and what happens when that fails. */
export function assembleSummaries(assembly: SummaryAssembly): Summaries {
  const { context, stores, models, composer, anyRoom, usualSummarizer, limits } = assembly
  const { clock, log } = context
  const { rooms } = stores.chat
  const { history, summaries } = stores.prompts
  const { checkQuotas, turnLog, calibrations, modelFacts, slots } = models
  const summarizers = { models: models.enabled, usual: usualSummarizer }
  const makeSummary = createMakeSummary({ checkQuotas, turnLog, calibrations, modelFacts, composer, limits })
  const sizes = createSizes({ models: models.enabled, modelFacts, calibrations })
  const sumUp = createSumUp({
    rooms,
    history,
    summaries,
    composer,
    clock,
    summarizers,
    sizes,
    makeSummary,
  })
  const troubles = createTroubles(anyRoom, clock, log)
  return createSummaries({
    rooms,
    summaries,
    work: createRoomWork({ sumUp, troubles, slots, clock }),
    sizes,
    troubles,
    clock,
    log,
    summarizers,
  })
}
