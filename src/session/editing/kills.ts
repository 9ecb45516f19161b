import { codePointAt } from '../../lib/text/characters.ts'

/** What was cut out of drafts, oldest first, so that ^Y puts it back. */
export type Kills = readonly string[]

const MAX_KILLS = 16
/** All of them together, in UTF-16 units; of a longer one so much is kept. */
const MAX_UNITS = 65_536

/** Another text was cut out. */
export function kill(kills: Kills, text: string): Kills {
  return text === '' ? kills : bounded([...kills, headOf(text)])
}

/** The key before cut something out too: what is cut out now belongs to it, at the side that it was cut from. */
export function killMore(kills: Kills, text: string, side: 'left' | 'right'): Kills {
  const last = kills.at(-1) ?? ''
  return bounded([...kills.slice(0, -1), headOf(side === 'left' ? text + last : last + text)])
}

/** The one before the newest becomes the newest, and the newest the oldest (`yank-pop`). */
export const rotate = (kills: Kills): Kills => [...kills.slice(-1), ...kills.slice(0, -1)]

const headOf = (text: string): string => text.slice(0, codePointAt(text, Math.min(text.length, MAX_UNITS)))

function bounded(kills: Kills): Kills {
  let units = 0
  const from = kills.findLastIndex((text) => (units += text.length) > MAX_UNITS) + 1
  return kills.slice(Math.max(from, kills.length - MAX_KILLS))
}
