import { z } from 'zod'

const people = z.enum(['members', 'ops', 'admins', 'nobody']).optional()

const allowed = (says: string) => people.describe(`${says} ${STRICT}`)

const STRICT =
  'If `access` is `open` and `--listen` is off loopback, the default for routines that ask a model is `admins`.'

/** Without defaults: a key that is set also counts on a server that strangers can enter. */
const allow = z
  .strictObject({
    remind: allowed('Absent: `members`.'),
    every: allowed('Absent: `members`.'),
    watch: allowed('Absent: `ops`.'),
    listen: allowed('Absent: `ops`.'),
    remember: people.describe('Who may add memories to a room. Absent: `ops`.'),
  })
  .prefault({})
  .describe(
    'Who may use each command: `members`: registered people; `ops`: ops of the room, its owner and admins; `admins`; `nobody`.',
  )

/** `[routines]`. */
export const routinesSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe('`false`, or the flag `serve --no-routines`: no routine runs.'),
    allow,
  })
  .prefault({})
  .describe('Reminders, lines at regular times, and models that react to lines.')
