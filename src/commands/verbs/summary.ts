import { mayManage } from '../../chat/access.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Clock } from '../../chat/ports.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import type { StoredSummary, SummaryStore } from '../../prompt/ports.ts'
import type { Summaries, SummaryStatus } from '../../turns/summaries/summaries.ts'
import { defineCommand, JSON_FLAG, type Command, type CommandContext } from '../define.ts'
import { announce } from './shared/announce.ts'
import { Misuse } from '../usage.ts'

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

type Context = CommandContext<'here', typeof ARGUMENTS, readonly [typeof JSON_FLAG]>

/** The room's summary: what models read of the conversation that no longer fits into a prompt. */
export function summaryCommand(
  store: SummaryStore,
  summaries: Pick<Summaries, 'renew' | 'status'>,
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

  async function show({ room, person, args, flags, out }: Context): Promise<void> {
    const wanted = args.text?.trim()
    const summary = wanted ? await versionOf(room.name, wanted) : await store.current(room.name)
    const status = await summaries.status(room.name)
    const mayKnow = status.trouble !== undefined && mayManage(await room.roleOf(person))
    const trouble = mayKnow ? status.trouble : undefined
    if (flags.json) return out.line(asJson(room.name, summary, status, trouble))
    out.line(summary && summary.text !== '' ? cleanText(summary.text) : 'there is no summary')
    if (summary && summary.text !== '') out.line(`-- ${versionLine(summary)}`)
    out.line(`-- ${statusLine(status)}`)
    if (trouble !== undefined) out.line(`-- ${trouble}`)
  }

  async function versionOf(room: StoredSummary['room'], wanted: string): Promise<StoredSummary> {
    const found = (await store.versions(room)).find(({ version }) => String(version) === wanted)
    if (found) return found
    throw new Refusal(`${room} has no summary version ${wanted.slice(0, 20)}; versions lists them`)
  }

  async function versions({ room, flags, out }: Context): Promise<void> {
    const all = await store.versions(room.name)
    if (flags.json) return out.line(safeJson({ room: room.name, versions: all.map(facts) }))
    out.line(all.length === 0 ? 'no summary was ever made' : all.map(versionLine).join('\n'))
  }

  async function renew({ room, out }: Context): Promise<void> {
    await summaries.renew(room.name)
    out.line('the summary is made anew in the background; summary shows how far it is')
  }

  async function set(context: Context): Promise<void> {
    const { room, person, args, stdin } = context
    const text = cleanText(args.text ?? (await stdin?.('until-end')) ?? '').trim()
    if (text === '') throw new Refusal('there is no text: write it after set, or give it on standard input')
    if (text.length > MAX_SUMMARY_CHARS)
      throw new Refusal(`a summary has at most ${MAX_SUMMARY_CHARS} characters; this one has ${text.length}`)
    const current = await store.current(room.name)
    if (!current || current.text === '')
      throw new Refusal('there is no summary to change; summary new makes one')
    await put(context, { ...current, text })
    await announce(context, `${person.name} changed the room's summary`)
  }

  async function clear(context: Context): Promise<void> {
    const current = await store.current(context.room.name)
    if (!current || current.text === '') throw new Refusal('there is no summary')
    await put(context, { ...current, text: '' })
    await announce(context, `${context.person.name} cleared the room's summary`)
  }

  async function put({ person }: Context, { room, text, first, last }: StoredSummary): Promise<void> {
    await store.put({ room, text, first, last, author: person.name, at: clock.now() })
  }
}

const statusLine = ({ summarizer, working }: SummaryStatus): string => {
  if (summarizer === undefined) return 'no model sums up this room; kv summarizer NAME names one'
  return working ? `@${summarizer} is summing up` : `@${summarizer} sums up this room`
}

const versionLine = ({ version, author, at, first, last, text }: StoredSummary): string =>
  `${version}  ${new Date(at).toISOString()}  ${author}  ${
    text === '' ? 'cleared' : `${text.length} characters, of ${first} to ${last}`
  }`

const facts = ({ version, author, at, first, last, text }: StoredSummary) => ({
  version,
  author,
  at,
  first,
  last,
  text,
})

const asJson = (
  room: string,
  summary: StoredSummary | undefined,
  { summarizer, working }: SummaryStatus,
  trouble: string | undefined,
): string =>
  safeJson({
    room,
    summary: summary && summary.text !== '' ? facts(summary) : null,
    summarizer: summarizer ?? null,
    working,
    trouble,
  })
