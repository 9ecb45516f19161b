import { cleanLine } from '../base/text/clean-text.ts'

export interface ToolProgress {
  /** From 0 to 1, if known. */
  readonly share?: number
  readonly text: string
}

/** What a turn or a run does while people are asked whether it may call a tool. */
export const WAITING_FOR_ANSWER = 'waits for an answer'

const MAX_CHARS = 60

/** Accepts any numbers and text that a tool sends. */
export function toolProgress(done: number, total?: number, text = ''): ToolProgress {
  const share = total !== undefined && total > 0 ? done / total : Number.NaN
  const line = cleanLine(text.slice(0, 4 * MAX_CHARS)).slice(0, MAX_CHARS)
  return Number.isFinite(share) ? { share: Math.min(1, Math.max(0, share)), text: line } : { text: line }
}

export const percentText = ({ share }: ToolProgress): string =>
  share === undefined ? '' : `${Math.floor(share * 100)}%`

export const progressText = (progress: ToolProgress): string =>
  [percentText(progress), progress.text].filter(Boolean).join(' ')
