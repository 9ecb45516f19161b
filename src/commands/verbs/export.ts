import { entryJson } from '../../chat/entry-json.ts'
import { entryMarkdown, markdownHead } from '../../chat/entry-markdown.ts'
import type { Entry } from '../../chat/entry.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Clock, EntryLog } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import { createTranscript } from '../../pages/transcript.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { createPageWriter, HTML_FLAG, refuseInSession } from './shared/html-page.ts'
import { BYTES_PER_PAGE, ENTRIES_PER_PAGE, wholeLog, type WholeLog } from './shared/whole-log.ts'
import { type Command, JSON_FLAG, Misuse, type Output, defineCommand } from '../command.ts'

export const exportCommand = (log: Pick<EntryLog, 'read' | 'sizes'>, clock: Clock): Command =>
  defineCommand({
    name: 'export',
    summary: 'all that was ever said and done here, oldest first, as Markdown, JSON or a page',
    room: 'here',
    flags: [
      { name: 'markdown', about: 'Markdown, for people; it is what you get without a flag' },
      { ...JSON_FLAG, about: 'JSON, for programs: one line an entry, as history --json has it' },
      HTML_FLAG,
    ],
    example: '--json',
    rights: {
      note: `In a session at most ${ENTRIES_PER_PAGE} entries and ${BYTES_PER_PAGE / 1024} KiB; a script gets all of it.`,
    },
    needsVoice: () => false,
    async run({ room, flags, out, session, signal }) {
      if ([flags.markdown, flags.json, flags.html].filter(Boolean).length > 1)
        throw new Misuse('it is one of --markdown, --json and --html')
      if (flags.html) refuseInSession({ session }, 'export', '')
      const whole: WholeLog = {
        read: (query) => log.read(room.name, query),
        sizes: (query) => log.sizes(room.name, query),
      }
      if (session) await refuseIfLong(whole, room, flags.json)
      const writer = await writerFor(flags, { room, clock, out, signal })
      await out.ready()
      for await (const page of wholeLog(whole)) {
        for (const entry of page) await writer.entry(entry)
        await out.ready()
        if (!signal.aborted) continue
        out.warn('the export was cut off: this is not all of the log')
        return false
      }
      return writer.end()
    },
  })

/** A session has no file, and shows no more than it can queue. Throws `Refusal`. */
async function refuseIfLong(log: WholeLog, { name }: Room, asJson: boolean): Promise<void> {
  const sizes = await log.sizes({ limit: ENTRIES_PER_PAGE + 1 })
  const bytes = sizes.reduce((sum, entry) => sum + entry.bytes, 0)
  if (sizes.length <= ENTRIES_PER_PAGE && bytes <= BYTES_PER_PAGE) return
  const file = asJson ? `--json ${name} > ${name}.jsonl` : `${name} > ${name}.md`
  throw new Refusal(
    `the log is too long for a session, which shows ${ENTRIES_PER_PAGE} entries at most; from a shell: ssh HOST export ${file}`,
  )
}

interface EntryWriter {
  entry(entry: Entry): Promise<void> | void
  end(): Promise<void> | void
}

/** What a writer writes about, and where. */
interface WriterParts {
  readonly room: Room
  readonly clock: Clock
  readonly out: Output
  readonly signal: AbortSignal
}

async function writerFor(
  flags: { readonly json: boolean; readonly html: boolean },
  parts: WriterParts,
): Promise<EntryWriter> {
  if (flags.json) return jsonWriter(parts)
  return flags.html ? await htmlWriter(parts) : await markdownWriter(parts)
}

const jsonWriter = ({ out }: WriterParts): EntryWriter => ({
  entry: (entry) => out.line(safeJson(entryJson(entry))),
  end() {},
})

async function htmlWriter({ room, clock, ...caller }: WriterParts): Promise<EntryWriter> {
  const { name, topic } = await room.info()
  const transcript = await createTranscript({ name, topic, at: clock.now() })
  const page = createPageWriter(caller)
  await page.add([transcript.head])
  return {
    entry: (entry) => page.add(transcript.entry(entry)),
    async end() {
      await page.add(transcript.end())
      await page.flush()
    },
  }
}

/** The entries of a day stand below its heading; the last line tells a reader that nothing is missing. */
async function markdownWriter({ room, clock, out }: WriterParts): Promise<EntryWriter> {
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
