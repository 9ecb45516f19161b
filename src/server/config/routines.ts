import { z } from 'zod'

const people = z.enum(['members', 'ops', 'admins', 'nobody']).optional()

const allowed = (says: string) => people.describe(`${says} ${STRICT}`)

const STRICT =
  '`admins` if `access` is `open`, `--listen` is off loopback and a model is asked, unless it is set.'

/** Without defaults: a key that is set also counts on a server that strangers can enter. */
const allow = z
  .strictObject({
    remind: allowed('Absent: `members`;'),
    every: allowed('Absent: `members`;'),
    watch: allowed('Absent: `ops`;'),
    listen: allowed('Absent: `ops`;'),
    remember: people.describe('Who may add to what models remember of a room. Absent: `ops`.'),
  })
  .prefault({})
  .describe(
    'Who may make which: `members`: people with a name of their own; `ops`: ops of the room, its owner and admins; `admins`; `nobody`.',
  )

/** `[routines]`. */
export const routinesSchema = z
  .strictObject({
    enabled: z.boolean().default(true).describe('`false`, or `serve --no-routines`: nothing runs by itself.'),
    allow,
  })
  .prefault({})
  .describe('What runs by itself: reminders, calendars, and models that wait for lines.')
