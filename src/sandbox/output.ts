import { bytes } from '../base/amounts.ts'
import type { ToolLimits } from '../tools/index.ts'

type OutputLimits = Pick<ToolLimits, 'outputLines' | 'outputBytes'>

/** Collects the output of one command up to the limits, so that memory stays bounded. */
export class CommandOutput {
  /** Bytes that the command wrote, kept or not. */
  total = 0
  readonly #limits: OutputLimits
  readonly #kept: Buffer[] = []
  #keptBytes = 0
  #lines = 0

  constructor(limits: OutputLimits) {
    this.#limits = limits
  }

  add(chunk: Buffer): void {
    const { outputLines, outputBytes } = this.#limits
    this.total += chunk.length
    const free = Math.min(outputBytes - this.#keptBytes, chunk.length)
    if (free <= 0 || this.#lines >= outputLines) return
    const end = endOfLines(chunk.subarray(0, free), outputLines - this.#lines)
    this.#kept.push(Buffer.from(chunk.subarray(0, end.index)))
    this.#keptBytes += end.index
    this.#lines += end.lines
  }

  /** Returns the kept output, with a notice if something was left out. */
  text(): string {
    const left = this.total - this.#keptBytes
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    const text = decoder.decode(Buffer.concat(this.#kept), { stream: left > 0 })
    if (left === 0) return text
    const { outputLines, outputBytes } = this.#limits
    return `${text}${text.endsWith('\n') ? '' : '\n'}… [${bytes(left)} left out: at most ${outputLines} lines and ${bytes(outputBytes)} are kept]\n`
  }
}

/** Returns the index after the last of at most `maxLines` lines. */
function endOfLines(chunk: Buffer, maxLines: number): { index: number; lines: number } {
  let lines = 0
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) {
    lines += 1
    if (lines === maxLines) return { index: at + 1, lines }
  }
  return { index: chunk.length, lines }
}
