import { bytes } from '../../lib/amounts.ts'

/** What is kept of a command's output. */
export interface OutputLimits {
  readonly outputLines: number
  readonly outputBytes: number
}

/** Collects output up to the limits and counts the rest, so that memory stays bounded whatever comes. */
export interface CommandOutput {
  add(chunk: Buffer): void
  /** Bytes that came, kept or not. */
  readonly total: number
  /** What was kept, as text, with a notice where something was left out. */
  text(): string
}

/** Collects the output of one command. */
export function collectOutput(limits: OutputLimits): CommandOutput {
  const kept: Buffer[] = []
  let keptBytes = 0
  let lines = 0
  let total = 0

  return {
    add(chunk) {
      total += chunk.length
      const free = Math.min(limits.outputBytes - keptBytes, chunk.length)
      if (free <= 0 || lines >= limits.outputLines) return
      const end = endOfLines(chunk.subarray(0, free), limits.outputLines - lines)
      kept.push(Buffer.from(chunk.subarray(0, end.index)))
      keptBytes += end.index
      lines += end.lines
    },
    get total() {
      return total
    },
    text() {
      const cut = total > keptBytes
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(kept), { stream: cut })
      return cut ? `${text}${text.endsWith('\n') ? '' : '\n'}${notice(total - keptBytes, limits)}` : text
    },
  }
}

/** Where the last of at most `maxLines` lines ends in a piece of output. */
function endOfLines(chunk: Buffer, maxLines: number): { index: number; lines: number } {
  let lines = 0
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) {
    lines += 1
    if (lines === maxLines) return { index: at + 1, lines }
  }
  return { index: chunk.length, lines }
}

const notice = (left: number, limits: OutputLimits): string =>
  `… [${bytes(left)} left out: at most ${limits.outputLines} lines and ${bytes(limits.outputBytes)} are kept]\n`
