import { usualOutput } from '../lib/usual-output.ts'

/**
 * Tokens of the least prompt with what a server of which nothing is known adds: the rules, one short message, and nothing else
 * (measured; docs/wrap.md). With a quarter for the answer that is a window of 500.
 */
const MIN_PROMPT = 375

/** What is said of a window without space for a prompt. */
export const TOO_SMALL = `is too small: beside max_output (else a quarter of the window), a prompt needs at least ${MIN_PROMPT} tokens`

/** Whether a prompt has space in a window beside the answer. An answer as long as the window is another problem. */
export const hasSpace = ({
  context_window: window,
  max_output: answer = usualOutput(window),
}: {
  readonly context_window: number
  readonly max_output?: number | undefined
}): boolean => answer >= window || window - answer >= MIN_PROMPT
