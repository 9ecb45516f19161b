import { duration } from '../../base/amounts.ts'
import { headOf } from '../../base/text/characters.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import { zoneOf } from '../../base/zone.ts'
import { specText, timeText } from './calendar.ts'
import type { Condition, Routine } from './ports.ts'

/** UTF-16 units of a routine's text in an entry about it. */
const MAX_SHOWN = 80

/** The condition as people write it: `mon-fri 09:00 Europe/Berlin`, `watch "on fire" @qwen`. */
export function conditionText(condition: Condition, zone: string): string {
  switch (condition.kind) {
    case 'once':
      return timeText(condition.at, zoneOf(zone))
    case 'calendar': {
      const { spec } = condition
      return spec.every === 'interval' ? `every ${duration(spec.ms)}` : `${specText(spec)} ${zone}`
    }
    case 'line': {
      const words = condition.isRegex ? `/${condition.words}/` : `"${condition.words}"`
      const pause = condition.pauseMs === undefined ? '' : `, at most once in ${duration(condition.pauseMs)}`
      const programs = condition.programs ? ', programs too' : ''
      return `a line with ${cleanLine(words)}${pause}${programs}, for @${condition.model}`
    }
    case 'each':
      return condition.all
        ? `@${condition.model} answers each line`
        : `@${condition.model} answers follow-ups, and each line while one or two people are in the room`
  }
}

/** The routine as the end of a sentence: `mon-fri 09:00 Europe/Berlin: @qwen sum up`. */
export function routineText({ condition, zone, text }: Pick<Routine, 'condition' | 'zone' | 'text'>): string {
  const said = cleanLine(headOf(text, MAX_SHOWN))
  return `${conditionText(condition, zone)}${said === '' ? '' : `: ${said}`}`
}
