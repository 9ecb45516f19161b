import { indentLater } from '../../words/entry-text.ts'
import type { RoomName } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import { mayManage } from '../../chat/index.ts'
import { safeJson } from '../../base/json.ts'
import { cleanText } from '../../base/text/clean-text.ts'
import { checkpointOf } from '../../turns/index.ts'
import { CHECKPOINT_KEY, CONVERSATION_KINDS, type StoredSummary } from '../../wrap/index.ts'
import type { SummaryStatus } from '../../turns/summaries/index.ts'
import { arg, JSON_FLAG, kindOf, Misuse, text, type Caller, type CommandContext } from '../command.ts'
import { forCaller } from '../hints.ts'
import { announce, dateText, findVersion, iso, print, type Services, verb } from './common.ts'

/** Limit of a summary that a person writes, because every prompt contains it. */
const MAX_SUMMARY_CHARS = 8_000

const ACTIONS = ['show', 'new', 'set', 'clear', 'versions'] as const
const ARGUMENTS = [
  arg('action', 'what to do; show when left out', { oneOf: ACTIONS, optional: true }),
  text('text', 'the text to set, or a version to show', { optional: true }),
] as const

type Context = CommandContext<'here', typeof ARGUMENTS, readonly [typeof JSON_FLAG]>

export const summary = verb({
  name: 'summary',
  summary:
    'the summary that models read instead of older conversation: show [VERSION], new, set (also from standard input), clear, versions',
  room: 'here',
  flags: [JSON_FLAG],
  arguments: ARGUMENTS,
  rights: {
    manage: 'change its summary',
    when: ({ action }) => action === 'new' || action === 'set' || action === 'clear',
  },
  run(context, services) {
    const { action = 'show' } = context.args
    if (action !== 'show' && action !== 'set' && context.args.text !== undefined)
      throw new Misuse(`${action} takes nothing more`)
    return { show, new: renew, set, clear, versions }[action](services, context)
  },
})

async function show({ stores, summaries }: Services, context: Context): Promise<void> {
  const { room, person, args, flags, out } = context
  const wanted = args.text?.trim()
  const store = stores.prompts.summaries
  const stored = wanted
    ? findVersion(await store.versions(room.name), wanted, { room: room.name, what: 'summary' })
    : await store.current(room.name)
  const summary = stored?.text === '' ? undefined : stored
  const { summarizer, working, asked, trouble } = await summaries.status(room.name)
  const mayKnow = trouble !== undefined && mayManage(await room.roleOf(person))
  const shownTrouble = mayKnow ? trouble : undefined
  if (flags.json) {
    const status = { summarizer: summarizer ?? null, working, asked, trouble: shownTrouble }
    return out.line(safeJson({ room: room.name, summary: summary ? summaryJson(summary) : null, ...status }))
  }
  // Indents each line, so that no line can imitate a speaker or the system.
  out.line(summary ? `  ${indentLater(cleanText(summary.text))}` : 'there is no summary')
  if (summary) out.line(`-- ${versionLine(summary, context)}`)
  out.line(forCaller(`-- ${statusLine({ summarizer, working, asked })}`, kindOf(context)))
  if (shownTrouble !== undefined) out.line(`-- ${shownTrouble}`)
}

async function versions({ stores }: Services, context: Context): Promise<void> {
  const { name } = context.room
  const all = await stores.prompts.summaries.versions(name)
  const json = { room: name, versions: all.map(summaryJson) }
  print(
    context,
    json,
    all.map((stored) => versionLine(stored, context)).join('\n') || 'no summary was ever made',
  )
}

async function renew({ summaries }: Services, { room, out, session }: Context): Promise<void> {
  await summaries.renew(room.name)
  out.line(`the summary is made anew in the background; ${session ? '/' : ''}summary shows how far it is`)
}

async function set(services: Services, context: Context): Promise<void> {
  const { room, person, args, script } = context
  const words = cleanText(args.text ?? (await script?.stdin('until-end')) ?? '').trim()
  if (words === '') throw new Refusal('there is no text: write it after set, or pipe it in from a shell')
  if (words.length > MAX_SUMMARY_CHARS)
    throw new Refusal(`a summary has at most ${MAX_SUMMARY_CHARS} characters; this one has ${words.length}`)
  const current = await services.stores.prompts.summaries.current(room.name)
  await put(services, context, current ?? (await oldestOf(services, room.name)), words)
  await announce(context, `${person.name} changed the room's summary`)
}

type CoveredRange = Pick<StoredSummary, 'room' | 'first' | 'last'>

/** A first summary covers only the oldest entry, so that nothing is lost. */
async function oldestOf({ stores }: Services, room: RoomName): Promise<CoveredRange> {
  const after = checkpointOf(await stores.chat.rooms.getValue(room, CHECKPOINT_KEY))?.after
  const [oldest] = await stores.prompts.history.following(room, {
    encoding: '',
    maxRows: 1,
    kinds: CONVERSATION_KINDS,
    withoutThreads: true,
    ...(after === undefined ? {} : { after }),
  })
  if (!oldest) throw new Refusal('nothing was said here that could be summed up')
  return { room, first: oldest.entry.id, last: oldest.entry.id }
}

async function clear(services: Services, context: Context): Promise<void> {
  const { room, person } = context
  const current = await services.stores.prompts.summaries.current(room.name)
  if (!current || current.text === '') throw new Refusal('there is no summary')
  services.summaries.stop(room.name)
  await put(services, context, current, '')
  await announce(context, `${person.name} cleared the room's summary`)
}

const put = (
  { stores, clock }: Services,
  { person }: Context,
  { room, first, last }: CoveredRange,
  words: string,
): Promise<unknown> =>
  stores.prompts.summaries.put({ room, text: words, first, last, author: person.name, at: clock.now() })

const statusLine = ({ summarizer, working, asked }: Omit<SummaryStatus, 'trouble'>): string => {
  if (asked !== undefined) return `@${asked} is summing up`
  if (summarizer === undefined) return 'no model writes summaries here; /kv summarizer NAME chooses one'
  return working ? `@${summarizer} will sum up this room next` : `@${summarizer} sums up this room`
}

const versionLine = (
  { version, author, at, first, last, text: words }: StoredSummary,
  caller: Caller,
): string => {
  const what = words === '' ? 'cleared' : `${words.length} characters, of ${first} to ${last}`
  return `${version}  ${dateText(at, caller)}  ${author}  ${what}`
}

const summaryJson = ({ version, author, at, first, last, text: words }: StoredSummary) => ({
  version,
  author,
  at: iso(at),
  first,
  last,
  text: words,
})
