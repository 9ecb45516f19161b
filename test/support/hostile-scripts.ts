import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WrapError } from '../../src/wrap/ports.ts'

const directory = new URL('../corpus/hostile-lua/', import.meta.url).pathname

/** A script that means harm or is wrong, and what must become of it. */
export interface HostileScript {
  /** `loops.lua:3`: where it begins. */
  readonly title: string
  readonly source: string
  /**
   * The reason of the error; `killed`: only the pool can end it; `harmless`: a prompt comes back; `ended`: by an
   * error in Lua or by a limit, whichever is first.
   */
  readonly outcome: WrapError['reason'] | 'killed' | 'harmless' | 'ended'
  /** A part of the message; may be empty. */
  readonly says: string
}

/** The corpus in test/corpus/hostile-lua: each script follows a line `--> OUTCOME PART OF THE MESSAGE`. */
export const hostileScripts = (): readonly HostileScript[] =>
  readdirSync(directory)
    .filter((file) => file.endsWith('.lua'))
    .toSorted()
    .flatMap((file) => scriptsIn(file, readFileSync(join(directory, file), 'utf8')))

function scriptsIn(file: string, text: string): readonly HostileScript[] {
  const [before = '', ...blocks] = text.split(/^--> /m)
  let line = lineBreaks(before) + 2
  return blocks.map((block) => {
    const [, outcome, says, source] = /^(\w+)(?: (.*))?\n([^]*)$/.exec(block)!
    const script = {
      title: `${file}:${line}`,
      outcome: outcome as HostileScript['outcome'],
      says: says ?? '',
      source: source!,
    }
    line += lineBreaks(block)
    return script
  })
}

const lineBreaks = (text: string): number => text.split('\n').length - 1
