/** Summaries of what a prompt has no space for. */
export { Summaries, type SummaryStatus } from './summaries.ts'
export { SummarySizes } from './summary-rows.ts'
