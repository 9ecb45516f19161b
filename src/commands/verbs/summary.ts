import { mayManage } from '../../chat/may-manage.ts'
import { indentLater } from '../../chat/entry-text.ts'
import type { RoomName } from '../../chat/entry.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Clock, RoomStore } from '../../chat/ports.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import { CHECKPOINT_KEY, checkpointOf } from '../../prompt/checkpoint.ts'
import { CONVERSATION_KINDS } from '../../prompt/conversation/conversation-rows.ts'
import type { HistoryStore, StoredSummary, SummaryStore } from '../../prompt/ports.ts'
import type { Summaries, SummaryStatus } from '../../turns/summaries/summaries.ts'
import { announce } from './shared/announce.ts'
import { type Command, type CommandContext, JSON_FLAG, Misuse, defineCommand, kindOf } from '../command.ts'
import { forCaller } from '../hints.ts'

/** Characters of a summary that a person writes: it is sent with every prompt. */
const MAX_SUMMARY_CHARS = 8_000

const ARGUMENTS = [
  {
    name: 'action',
    about: 'what to do; show when left out',
    oneOf: ['show', 'new', 'set', 'clear', 'versions'],
    optional: true,
  },
  { name: 'text', about: 'the text to set, or a version to show', optional: true, takes: 'rest' },
] as const

/** Where summaries are, and what they are of. */
export interface SummaryStores {
  readonly summaries: SummaryStore
  readonly history: Pick<HistoryStore, 'following'>
  readonly rooms: Pick<RoomStore, 'getValue'>
}

type Context = CommandContext<'here', typeof ARGUMENTS, readonly [typeof JSON_FLAG]>

/** The room's summary: what models read of the conversation that no longer fits into a prompt. */
export function summaryCommand(
  { summaries: store, history, rooms }: SummaryStores,
  summaries: Pick<Summaries, 'renew' | 'status' | 'stop'>,
  clock: Clock,
): Command {
  const actions = { show, new: renew, set, clear, versions }
  return defineCommand({
    name: 'summary',
    summary:
      'what models read in place of older conversation: show [VERSION], new, set (also from standard input), clear, versions',
    room: 'here',
    flags: [JSON_FLAG],
    arguments: ARGUMENTS,
    example: '',
    rights: {
      manage: 'change its summary',
      when: ({ action }) => action === 'new' || action === 'set' || action === 'clear',
    },
    run: (context) => actions[wordOf(context)](context),
  })

  /** The parser knows an optional word only as text. */
  function wordOf({ args: { action = 'show', text } }: Context): keyof typeof actions {
    const word = ARGUMENTS[0].oneOf.find((one) => one === action)
    if (word === undefined) throw new Misuse(`${action.slice(0, 20)} is no action of summary`)
    if ((word === 'new' || word === 'clear' || word === 'versions') && text !== undefined)
      throw new Misuse(`${word} takes nothing more`)
    return word
  }

  async function show(context: Context): Promise<void> {
    const { room, person, args, flags, out } = context
    const wanted = args.text?.trim()
    const summary = wanted ? await versionOf(room.name, wanted) : await store.current(room.name)
    const status = await summaries.status(room.name)
    const mayKnow = status.trouble !== undefined && mayManage(await room.roleOf(person))
    const trouble = mayKnow ? status.trouble : undefined
    if (flags.json) return out.line(asJson(room.name, summary, status, trouble))
    // Each line is indented, so that none can pass for a speaker or for the system.
    out.line(
      summary && summary.text !== '' ? `  ${indentLater(cleanText(summary.text))}` : 'there is no summary',
    )
    if (summary && summary.text !== '') out.line(`-- ${versionLine(summary)}`)
    out.line(forCaller(`-- ${statusLine(status)}`, kindOf(context)))
    if (trouble !== undefined) out.line(`-- ${trouble}`)
  }

  async function versionOf(room: StoredSummary['room'], wanted: string): Promise<StoredSummary> {
    const found = (await store.versions(room)).find(({ version }) => String(version) === wanted)
    if (found) return found
    throw new Refusal(`${room} has no summary version ${wanted.slice(0, 20)}; /summary versions lists them`)
  }

  async function versions({ room, flags, out }: Context): Promise<void> {
    const all = await store.versions(room.name)
    if (flags.json) return out.line(safeJson({ room: room.name, versions: all.map(facts) }))
    out.line(all.length === 0 ? 'no summary was ever made' : all.map(versionLine).join('\n'))
  }

  async function renew({ room, out, session }: Context): Promise<void> {
    await summaries.renew(room.name)
    out.line(`the summary is made anew in the background; ${session ? '/' : ''}summary shows how far it is`)
  }

  async function set(context: Context): Promise<void> {
    const { room, person, args, script } = context
    const text = cleanText(args.text ?? (await script?.stdin('until-end')) ?? '').trim()
    if (text === '') throw new Refusal('there is no text: write it after set, or give it on standard input')
    if (text.length > MAX_SUMMARY_CHARS)
      throw new Refusal(`a summary has at most ${MAX_SUMMARY_CHARS} characters; this one has ${text.length}`)
    const covered = (await store.current(room.name)) ?? (await oldestOf(room.name))
    await put(context, { ...covered, text })
    await announce(context, `${person.name} changed the room's summary`)
  }

  /** What a summary covers that somebody writes where there was none: no more than the first entry, so nothing is lost. */
  async function oldestOf(room: RoomName): Promise<Pick<StoredSummary, 'room' | 'first' | 'last'>> {
    const after = checkpointOf(await rooms.getValue(room, CHECKPOINT_KEY))?.after
    const query = { encoding: '', maxRows: 1, kinds: CONVERSATION_KINDS, withoutThreads: true }
    const [oldest] = await history.following(room, { ...query, ...(after === undefined ? {} : { after }) })
    if (!oldest) throw new Refusal('nothing was said here that a summary could stand for')
    return { room, first: oldest.entry.id, last: oldest.entry.id }
  }

  async function clear(context: Context): Promise<void> {
    const current = await store.current(context.room.name)
    if (!current || current.text === '') throw new Refusal('there is no summary')
    summaries.stop(context.room.name)
    await put(context, { ...current, text: '' })
    await announce(context, `${context.person.name} cleared the room's summary`)
  }

  async function put(
    { person }: Context,
    { room, text, first, last }: Pick<StoredSummary, 'room' | 'text' | 'first' | 'last'>,
  ): Promise<void> {
    await store.put({ room, text, first, last, author: person.name, at: clock.now() })
  }
}

const statusLine = ({ summarizer, working, asked }: SummaryStatus): string => {
  if (asked !== undefined) return `@${asked} is summing up`
  if (summarizer === undefined) return 'no model sums up this room; /kv summarizer NAME names one'
  return working ? `@${summarizer} will sum up this room next` : `@${summarizer} sums up this room`
}

const versionLine = ({ version, author, at, first, last, text }: StoredSummary): string =>
  `${version}  ${new Date(at).toISOString()}  ${author}  ${
    text === '' ? 'cleared' : `${text.length} characters, of ${first} to ${last}`
  }`

const facts = ({ version, author, at, first, last, text }: StoredSummary) => ({
  version,
  author,
  at: new Date(at).toISOString(),
  first,
  last,
  text,
})

const asJson = (
  room: string,
  summary: StoredSummary | undefined,
  { summarizer, working, asked }: SummaryStatus,
  trouble: string | undefined,
): string =>
  safeJson({
    room,
    summary: summary && summary.text !== '' ? facts(summary) : null,
    summarizer: summarizer ?? null,
    working,
    asked,
    trouble,
  })
