import type { Rooms } from '../../chat/rooms.ts'
import type { EntryLog } from '../../chat/ports.ts'
import { searchTerms, termsText } from '../../chat/search-terms.ts'
import { COUNT_FLAG, entryCount, printEntries } from './shared/entry-list.ts'
import { pagesOf, type PagedLog } from './shared/log-pages.ts'
import { type Command, JSON_FLAG, defineCommand } from '../command.ts'

export const searchCommand = (rooms: Pick<Rooms, 'list'>, log: Pick<EntryLog, 'search'>): Command =>
  defineCommand({
    name: 'search',
    aliases: ['find'],
    summary:
      'the newest lines here that have all these words; with - first, those of all rooms that you may read',
    room: 'here-or-all',
    flags: [COUNT_FLAG, { name: 'best', about: 'the lines that fit best, instead of the newest' }, JSON_FLAG],
    arguments: [
      {
        name: 'words',
        about:
          'in any order; a word finds longer ones that begin with it, "words in quotes" are found as they stand there; ' +
          'case and accents make no difference, and punctuation parts words',
        takes: 'rest',
      },
    ],
    example: '-n 5 build green',
    async run({ room, person, args, flags, out, signal }) {
      const limit = entryCount(flags.n)
      const terms = searchTerms(args.words)
      const searched = room ? [room.name] : (await rooms.list(person)).map(({ name }) => name)
      // What many find is not in memory at once: each prints a page before the next one is read.
      let behind: string | undefined
      const read: PagedLog['read'] = async (query) => {
        await out.ready()
        const prefer = flags.best ? 'best' : 'newest'
        const found = await log.search({ ...query, rooms: searched, terms, prefer })
        behind ??= found.behind
        return found.entries
      }
      const pages = flags.best ? [await read({ limit })] : pagesOf({ read }, limit)
      let isFound = false
      for await (const page of pages) {
        isFound ||= page.length > 0
        await printEntries(page, out, { asJson: flags.json, withRooms: !room })
        if (signal.aborted) return
      }
      if (behind !== undefined) out.warn(`the newest lines may be missing: ${behind}`)
      if (!isFound && !flags.json)
        out.line(`nothing ${room ? 'here' : 'in your rooms'} has ${termsText(terms)}`)
    },
  })
