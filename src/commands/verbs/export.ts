import { entryJson } from '../../chat/entry-json.ts'
import { entryMarkdown, markdownHead } from '../../chat/entry-markdown.ts'
import type { Entry } from '../../chat/entry.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Clock, EntryLog } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import { safeJson } from '../../lib/safe-json.ts'
import type { Output } from '../caller.ts'
import { defineCommand, JSON_FLAG, type Command } from '../define.ts'
import { Misuse } from '../usage.ts'
import { BYTES_PER_PAGE, ENTRIES_PER_PAGE, wholeLog, type WholeLog } from './shared/whole-log.ts'

export const exportCommand = (log: Pick<EntryLog, 'read' | 'sizes'>, clock: Clock): Command =>
  defineCommand({
    name: 'export',
    summary: 'all that was ever said and done here, oldest first, as Markdown or JSON',
    room: 'here',
    flags: [
      { name: 'markdown', about: 'Markdown, for people; it is what you get without a flag' },
      { ...JSON_FLAG, about: 'JSON, for programs: one line an entry, as history --json has it' },
      { name: 'html', about: 'a page', notYet: '--html is not there yet; --markdown and --json are' },
    ],
    example: '--json',
    needsVoice: () => false,
    complete: () => ['--json', '--markdown'],
    async run({ room, flags, out, session, signal }) {
      if (flags.markdown && flags.json) throw new Misuse('it is --markdown or --json, not both')
      const whole: WholeLog = {
        read: (query) => log.read(room.name, query),
        sizes: (query) => log.sizes(room.name, query),
      }
      if (session) await refuseIfLong(whole, room)
      const writer = flags.json ? jsonWriter(out) : await markdownWriter(room, clock, out)
      await out.ready()
      for await (const page of wholeLog(whole)) {
        for (const entry of page) writer.entry(entry)
        await out.ready()
        if (!signal.aborted) continue
        out.warn('the export was cut off: this is not all of the log')
        return false
      }
      return writer.end()
    },
  })

/** A session has no file, and shows no more than it can queue. Throws `Refusal`. */
async function refuseIfLong(log: WholeLog, { name }: Room): Promise<void> {
  const sizes = await log.sizes({ limit: ENTRIES_PER_PAGE + 1 })
  const bytes = sizes.reduce((sum, entry) => sum + entry.bytes, 0)
  if (sizes.length <= ENTRIES_PER_PAGE && bytes <= BYTES_PER_PAGE) return
  throw new Refusal(`the log is too long for a session; from a shell: ssh HOST export ${name} > ${name}.md`)
}

interface EntryWriter {
  entry(entry: Entry): void
  end(): void
}

const jsonWriter = (out: Output): EntryWriter => ({
  entry: (entry) => out.line(safeJson(entryJson(entry))),
  end() {},
})

/** The entries of a day stand below its heading; the last line tells a reader that nothing is missing. */
async function markdownWriter(room: Room, clock: Clock, out: Output): Promise<EntryWriter> {
  const { name, topic } = await room.info()
  let day = ''
  let count = 0
  out.line(markdownHead({ name, topic, at: clock.now() }))
  return {
    entry(entry) {
      const today = new Date(entry.at).toISOString().slice(0, 10)
      if (today !== day) out.line(`\n## ${today}\n`)
      day = today
      count += 1
      out.line(entryMarkdown(entry))
    },
    end: () => out.line(`\nThe end: ${count === 1 ? '1 entry' : `${count} entries`}.`),
  }
}
