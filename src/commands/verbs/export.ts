import { entryJson, entryMarkdown, markdownHead, pinRows } from '../../words/entry-text.ts'
import type { Entry } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import type { EntrySize } from '../../chat/index.ts'
import { safeJson } from '../../base/json.ts'
import { LogPictures } from './log-pictures.ts'
import { createTranscript } from '../pages/transcript.ts'
import { flag, Misuse, type RoomContext } from '../command.ts'
import { iso, verb } from './common.ts'
import {
  BYTES_PER_PAGE,
  HTML_FLAG,
  MAX_WHOLE_PAGE,
  PageWriter,
  refuseInSession,
  wholeLog,
} from './log-pages.ts'

export const exportLog = verb({
  name: 'export',
  summary: 'export the whole log of this room, oldest entry first, as Markdown, JSON or an HTML page',
  room: 'here',
  flags: [
    flag('markdown', 'Markdown, for people; the default'),
    flag('json', 'JSON, for programs: one line for each entry, as in history --json'),
    HTML_FLAG,
  ],
  example: '--json',
  rights: {
    note: `In a session at most ${MAX_WHOLE_PAGE} entries and ${BYTES_PER_PAGE / 1024} KiB are shown; a script prints the whole log.`,
  },
  needsVoice: () => false,
  async run(context, { stores, rooms, clock, filesOf }) {
    const { room, flags, out, session, signal } = context
    if ([flags.markdown, flags.json, flags.html].filter(Boolean).length > 1)
      throw new Misuse('it is one of --markdown, --json and --html')
    if (flags.html) refuseInSession(context, 'export', '')
    const { entries } = stores.chat
    if (session)
      refuseIfLong(await entries.sizes(room.name, { limit: MAX_WHOLE_PAGE + 1 }), room.name, flags.json)
    const pictures = new LogPictures(filesOf(room.name))
    const pins = pinRows(await rooms.pins.list(room.name))
    const at = clock.now()
    const writer = flags.json
      ? jsonWriter(context)
      : await (flags.html ? htmlWriter(context, { pins, at, pictures }) : markdownWriter(context, pins, at))
    await out.ready()
    for await (const page of wholeLog(entries, room.name)) {
      for (const entry of page) await writer.entry(entry)
      await out.ready()
      if (!signal.aborted) continue
      out.warn('the export was cut off: this is not all of the log')
      return false
    }
    return await writer.end?.()
  },
})

/** Throws `Refusal` for a log that is longer than a session can queue. */
function refuseIfLong(sizes: readonly EntrySize[], name: string, asJson: boolean): void {
  const bytes = sizes.reduce((sum, entry) => sum + entry.bytes, 0)
  if (sizes.length <= MAX_WHOLE_PAGE && bytes <= BYTES_PER_PAGE) return
  const file = asJson ? `--json ${name} > ${name}.jsonl` : `${name} > ${name}.md`
  throw new Refusal(
    `the log is too long for a session, which shows ${MAX_WHOLE_PAGE} entries at most; from a shell: ssh HOST export ${file}`,
  )
}

interface EntryWriter {
  entry(entry: Entry): Promise<void> | void
  end?(): Promise<void> | void
}

const jsonWriter = ({ out }: RoomContext): EntryWriter => ({
  entry: (entry) => out.line(safeJson(entryJson(entry))),
})

async function htmlWriter(
  { room, ...caller }: RoomContext,
  {
    pins,
    at,
    pictures,
  }: { readonly pins: readonly string[]; readonly at: number; readonly pictures: LogPictures },
): Promise<EntryWriter> {
  const transcript = await createTranscript({ ...(await room.info()), pins }, at)
  const page = new PageWriter(caller)
  await page.add([transcript.head])
  return {
    entry: async (entry) => page.add(transcript.entry(entry, await pictures.of(entry))),
    async end() {
      await page.add(transcript.end())
      await page.flush()
    },
  }
}

/** Writes a heading for each day. The last line shows that nothing is missing. */
async function markdownWriter(
  { room, out }: RoomContext,
  pins: readonly string[],
  at: number,
): Promise<EntryWriter> {
  const { name, topic } = await room.info()
  let day = ''
  let count = 0
  out.line(markdownHead({ name, topic, pins, at }))
  return {
    entry(entry) {
      const today = iso(entry.at).slice(0, 10)
      if (today !== day) out.line(`\n## ${today}\n`)
      day = today
      count += 1
      out.line(entryMarkdown(entry))
    },
    end: () => out.line(`\nThe end: ${count === 1 ? '1 entry' : `${count} entries`}.`),
  }
}
