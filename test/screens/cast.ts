import type { RecordedOutput } from './recorded-terminal.ts'

/** No pause of a recording is longer, in seconds. */
const LONGEST_PAUSE = 2

/** A session as an asciicast (https://docs.asciinema.org/manual/asciicast/v2/). */
export function asciicast(
  output: readonly RecordedOutput[],
  { columns, rows, title }: { readonly columns: number; readonly rows: number; readonly title: string },
): string {
  let at = 0
  let before = output[0]?.at ?? 0
  const events = output.map(({ at: came, text }) => {
    at += Math.min(LONGEST_PAUSE, came - before)
    before = came
    return [Math.round(at * 1_000) / 1_000, 'o', text]
  })
  const head = { version: 2, width: columns, height: rows, title, env: { TERM: 'xterm-256color' } }
  return [head, ...events].map((line) => `${JSON.stringify(line)}\n`).join('')
}
