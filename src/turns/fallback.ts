import type { NoticeEntry } from '../chat/entry.ts'
import { SYSTEM } from '../chat/people/names.ts'
import type { Log } from '../chat/ports.ts'
import { endingOf } from './turn-end.ts'
import { type ConfiguredModel, ModelError } from './ports.ts'
import { nameOf, type Turn } from './turn-state.ts'

/** What finding a fallback needs. */
export interface FallbackParts {
  /** Gives the models that can be called now. */
  readonly models: () => readonly ConfiguredModel[]
  readonly log: Log
}

/**
 * The model that answers in place of one that failed; undefined where there is none, or where the failed one already said
 * or called anything: that cannot be taken back. The config has no loops of fallbacks.
 */
export function fallbackFor(
  { job, reply, messages, signal }: Turn,
  error: unknown,
  { models }: FallbackParts,
): ConfiguredModel | undefined {
  const { fallback } = job.model.settings
  const nothingSaid = messages.length === 0 && reply.isEmpty()
  if (!(error instanceof ModelError) || signal.aborted || !nothingSaid || fallback === undefined)
    return undefined
  return models().find(({ settings }) => settings.name === fallback)
}

const ASKED_INSTEAD = 'is asked instead'

/** Whether it says that another model answers: the turn goes on after it. */
export const isHandOver = ({ text }: Pick<NoticeEntry, 'text'>): boolean => text.endsWith(ASKED_INSTEAD)

/** Tells the room and the record of the turn who answers now, and the log why. Rejects with `StorageError`. */
export async function handOver({ job }: Turn, error: unknown, next: string, log: Log): Promise<void> {
  const { notice } = endingOf(error, nameOf(job), log)
  await job.recorder.handOver(next)
  await job.room.record({
    kind: 'notice',
    level: 'info',
    author: SYSTEM,
    turn: job.recorder.id,
    text: `${notice?.text ?? `@${nameOf(job)} failed`}; @${next} ${ASKED_INSTEAD}`,
  })
}
