import { z } from 'zod'
import type { Zone } from '../../base/zone.ts'
import { messageText } from '../../chat/text/index.ts'
import { ArgumentError, defineTool, type Tool, type ToolContext } from '../../tools/index.ts'
import { ok } from '../../tools/results/index.ts'
import { Refusal, UsageError } from '../../words/errors.ts'
import { parseWhen, timeText } from '../routines/index.ts'
import { MESSAGE_LIMITS, type RoomToolParts } from './shared.ts'

/** The reminder is to the requester alone, whatever room the turn walked to. */
export function remindTool({ speech = MESSAGE_LIMITS, reminders }: RoomToolParts): Tool {
  async function readReminder({ when, text }: { when: string; text: string }, { requester }: ToolContext) {
    const ready = reminders?.()
    if (!ready) throw new Refusal('the server is starting')
    const { routines, zoneOf, clock } = ready
    const zone = await zoneOf(requester.person)
    return { text: messageText(text, speech), zone, at: timeOf(when, clock.now(), zone), routines }
  }
  return defineTool({
    id: 'sshawl_remind',
    title: 'Remind',
    description: 'Reminds your requester later, in private.',
    access: 'write',
    input: z.strictObject({
      when: z.string().max(64).describe('10m, 18:30 or 2026-12-01 09:00.'),
      text: z.string().describe('To say then.'),
    }),
    asks: async (wanted, context) => {
      const { text, at, zone } = await readReminder(wanted, context)
      const { name } = context.requester.person
      const what = `remind ${name} at ${timeText(at, zone)}`
      return { target: `${what}: ${text}`, detail: `${what}:\n${text}`, asked: `${what}?` }
    },
    run: async (wanted, context) => {
      const { text, at, zone, routines } = await readReminder(wanted, context)
      const { person } = context.requester
      const none = { room: null, scope: null, tokens: null, until: null, runs: null }
      const condition = { kind: 'once', at } as const
      const made = await routines.make(person, { ...none, text, zone: zone.name, condition })
      return ok(`Reminder ${made.number} rings for ${person.name} at ${timeText(at, zone)}.`)
    },
  })
}

/** Throws `ArgumentError`. */
function timeOf(when: string, now: number, zone: Zone): number {
  try {
    const { at, rest } = parseWhen(when, now, zone)
    if (rest.trim() === '') return at
  } catch (error) {
    if (error instanceof UsageError) throw new ArgumentError(error.message)
    throw error
  }
  throw new ArgumentError(`when has more than a time: ${when}`)
}
