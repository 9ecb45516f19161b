import { z } from 'zod'
import { ROOM_NAME } from '../../words/names.ts'
import type { Environment } from './environment.ts'
import { address, headerEnv, valuesOf } from './values.ts'

export const webhookSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9_.-]{1,32}$/, 'use 1-32 of a-z 0-9 _ . -')
    .describe('The name that scripts use in `on_message`: 1-32 of `a-z 0-9 _ . -`.'),
  url: address('https://ci.example.org/hook', 'header_env').describe(
    'The address that receives the POST requests.',
  ),
  rooms: z
    .array(z.string().regex(ROOM_NAME, 'use the name of a room'))
    .optional()
    .describe('The only rooms whose scripts may use this webhook; absent: all.'),
  header_env: headerEnv,
})

export const notifySchema = z
  .strictObject({
    allow: z
      .array(
        z
          .string()
          .refine(
            (text) => URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text,
            'write an origin such as https://ntfy.sh, without a path',
          ),
      )
      .default([])
      .describe(
        'Origins, such as `https://ntfy.sh`, that `/set notify` may name; empty: no notices are sent.',
      ),
  })
  .prefault({})
  .describe('Notices to people who are mentioned while they are away ([admin.md](admin.md#notices)).')

type Entry = z.output<typeof webhookSchema>

/** A webhook with the values of its headers. */
export type Webhook = Readonly<Omit<Entry, 'header_env'> & { headers: Readonly<Record<string, string>> }>

export const webhooksFrom = (entries: readonly Entry[], env: Environment): readonly Webhook[] =>
  entries.map(({ header_env, ...entry }) => ({ ...entry, headers: valuesOf(header_env, env).values }))
