import type { Entry, EntryId } from '../../chat/entry.ts'
import type { EntryLog } from '../../chat/ports.ts'
import { foldedLines } from '../../chat/presence/fold.ts'
import type { Room } from '../../chat/room.ts'
import { COUNT_FLAG, entryCount, printEntries, TIME_CELLS } from './shared/entry-list.ts'
import { pagesOf, type PagedLog } from './shared/log-pages.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { statsText } from './shared/log-stats.ts'
import { type Command, JSON_FLAG, Misuse, defineCommand } from '../command.ts'

export const historyCommand = (log: Pick<EntryLog, 'read' | 'sizes' | 'stats'>): Command =>
  defineCommand({
    name: 'history',
    summary:
      'what was said here, oldest first, with its time in UTC; who came and went in a row is one line, and with --json an entry each; stats: the log in numbers',
    room: 'here',
    flags: [
      COUNT_FLAG,
      { name: 'before', about: 'only what is older than this entry', value: 'ID' },
      JSON_FLAG,
    ],
    arguments: [
      {
        name: 'what',
        about: 'who recorded how much, tokens and calls by day',
        optional: true,
        oneOf: ['stats'],
      },
    ],
    example: '-n 20',
    needsVoice: () => false,
    async run({ room, args, flags, out, signal }) {
      if (args.what === 'stats') {
        await out.ready()
        const stats = await log.stats(room.name)
        return out.line(flags.json ? safeJson({ room: room.name, ...stats }) : statsText(room.name, stats))
      }
      const before = entryId(flags.before)
      const count = entryCount(flags.n)
      const paged: PagedLog = {
        async read(query) {
          await out.ready()
          return await log.read(room.name, query)
        },
        sizes: (query) => log.sizes(room.name, query),
      }
      const lines = flags.json ? undefined : await presenceLines(log, room, { count, before }, out.columns)
      for await (const page of pagesOf(paged, count, before)) {
        const shown = lines ? page.flatMap((entry) => shownAs(entry, lines)) : page
        await printEntries(shown, out, { asJson: flags.json })
        if (signal.aborted) return
      }
    },
  })

/** The lines for those who came and went, known before anything is printed, so that each stands where it belongs in time. */
async function presenceLines(
  log: Pick<EntryLog, 'read' | 'sizes'>,
  { name }: Room,
  { count: limit, before }: { readonly count: number; readonly before: EntryId | undefined },
  columns: number,
): Promise<ReadonlyMap<EntryId, Entry>> {
  const query = { limit, ...(before ? { before } : {}) }
  const all = await log.sizes(name, query)
  const comings = await log.read(name, { ...query, kinds: ['presence'] })
  const byId = new Map(comings.map((entry) => [entry.id, entry]))
  return foldedLines(
    all.map(({ id }) => byId.get(id) ?? { id }),
    columns - TIME_CELLS,
  )
}

const shownAs = (entry: Entry, lines: ReadonlyMap<EntryId, Entry>): readonly Entry[] => {
  const shown = entry.kind === 'presence' ? lines.get(entry.id) : entry
  return shown ? [shown] : []
}

/** A ULID, as `history --json` shows them: https://github.com/ulid/spec. */
function entryId(word: string | undefined): EntryId | undefined {
  if (word === undefined || /^[0-9A-HJKMNP-TV-Z]{26}$/.test(word)) return word as EntryId | undefined
  throw new Misuse(`${word.slice(0, 40)} is no entry's id; history --json shows them`)
}
