import type { HttpHandler } from './http/routes.ts'
import { APOLOGY, ignoreRefusal } from '../words/errors.ts'
import type { Rooms } from '../chat/index.ts'
import type { Runner } from '../commands/index.ts'

export type PostLine = HttpHandler['say']

/** Posts messages that came over HTTP, with the rights and the pace of `ssh host say`. */
export const createPostLine =
  (runner: Pick<Runner, 'use'>, rooms: Pick<Rooms, 'get'>): PostLine =>
  async (person, { room, text, signal }) => {
    const told: string[] = []
    const status = await runner.use(
      { verb: 'say', room },
      {
        person,
        out: {
          write: () => {},
          line: () => {},
          warn: (line) => void told.push(line),
          columns: 80,
          ready: async () => {},
        },
        signal,
        script: { stdin: async () => text, afterwards: () => {}, posted: true },
      },
    )
    if (status === 0) return { status: 200, text: 'ok' }
    const isThere = await rooms.get(room, person).catch(ignoreRefusal)
    return { status: isThere ? statusOf(told) : 404, text: told.join('\n') }
  }

/** 429 and 503 tell a program to try again later. */
function statusOf(told: readonly string[]): 403 | 429 | 500 | 503 {
  if (told.includes(APOLOGY)) return 500
  if (told.some((line) => line.startsWith('you are going too fast'))) return 429
  return told.some((line) => /^not (?:stored|done|read): /.test(line)) ? 503 : 403
}
