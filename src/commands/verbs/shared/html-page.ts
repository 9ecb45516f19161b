import { Refusal } from '../../../chat/errors.ts'
import type { Html } from '../../../lib/markup.ts'
import type { BaseContext } from '../../command.ts'

/** The flag of commands that also make a page. */
export const HTML_FLAG = { name: 'html', about: 'a page for a browser, which needs nothing else' } as const

/** A page is a file, and a session has none: throws `Refusal` with the line that writes it. */
export function refuseInSession(
  { session }: Pick<BaseContext, 'session'>,
  verb: string,
  words: string,
): void {
  if (!session) return
  const { name } = session.room
  throw new Refusal(
    `a page is for a browser; from a shell: ssh HOST ${[verb, name, words, '--html'].filter((word) => word !== '').join(' ')} > ${verb}.html`,
  )
}

/** A page is sent in pieces of so many UTF-16 units, or of so many parts where these are short. */
const SENT_UNITS = 4 * 1024
const SENT_PARTS = 64

/** Writes a page part by part, and lets others have their turn in between. */
export interface PageWriter {
  add(parts: Iterable<Html>): Promise<void>
  /** Sends the rest. */
  flush(): Promise<void>
}

export function createPageWriter({ out, signal }: Pick<BaseContext, 'out' | 'signal'>): PageWriter {
  let parts: string[] = []
  let units = 0
  async function flush(): Promise<void> {
    if (parts.length === 0) return
    out.write(parts.join(''))
    parts = []
    units = 0
    await out.ready()
  }
  return {
    flush,
    async add(more) {
      for (const part of more) {
        if (signal.aborted) return
        const text = String(part)
        parts.push(text)
        units += text.length
        if (units >= SENT_UNITS || parts.length >= SENT_PARTS) await flush()
      }
    },
  }
}

/** Prints a page; resolves to false where the caller went away in between. */
export async function printHtml(
  page: AsyncIterable<Html>,
  caller: Pick<BaseContext, 'out' | 'signal'>,
): Promise<void | false> {
  const writer = createPageWriter(caller)
  for await (const part of page) {
    await writer.add([part])
    if (caller.signal.aborted) return false
  }
  await writer.flush()
}
