import type { Entry, EntryId } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import type { LogQuery, Room } from '../../chat/index.ts'
import { counted } from '../../base/amounts.ts'
import { safeJson } from '../../base/json.ts'
import { cleanText } from '../../base/text/clean-text.ts'
import { splitLabel } from '../../words/names.ts'
import { userContent } from '../../wrap/index.ts'
import { type SentRequest, type TurnRecord, nothingSent, requestsOf } from '../../turns/index.ts'
import { arg, JSON_FLAG, Misuse, type Output } from '../command.ts'
import { HTML_FLAG, PageWriter, refuseInSession } from './log-pages.ts'
import { verb, type Services } from './common.ts'
import { foldHead, type NumberedRequest, numberRequests, requestText } from './turn-requests.ts'
import { isEnd, lastStep, questionsOf, turnPage } from '../pages/turn.ts'

export const turn = verb({
  name: 'turn',
  summary: 'show the requests that a past turn sent to its model; a session shortens them, full prints all',
  room: 'here',
  flags: [JSON_FLAG, HTML_FLAG],
  arguments: [
    arg('id', 'the id of a turn, or of an entry of it; last, or no id, is the last turn', { optional: true }),
    arg('request', 'the number of a request; a session shows a page from this request on', {
      optional: true,
    }),
    arg('full', 'the whole text, also in a session', { optional: true, oneOf: ['full'] }),
  ],
  example: 'last 1',
  needsVoice: () => false,
  complete: {
    id: () => ['last', 'full'],
    request: ({ given }) => (given.includes('full') ? [] : ['full']),
  },
  async run({ room, args, flags, out, session, signal }, services) {
    // Any of the words may be omitted before `full`.
    const [id = 'last', request] = [args.id, args.request].filter((word) => word !== 'full')
    const isFull = [args.id, args.request, args.full].includes('full')
    if (flags.html) refuseInSession({ session }, 'turn', id)
    const turn = await findTurn(id, room, services)
    if (flags.html) {
      const page = new PageWriter({ out, signal })
      for await (const part of turnPage(turn, await entriesOf(turn, room, out))) {
        await page.add([part])
        if (signal.aborted) return false
      }
      return await page.flush()
    }
    const sent = numberRequests(turn)
    const isPage = session !== undefined && !isFull
    const chosen = choose(turn, sent, request, isPage)
    if (flags.json) return out.line(safeJson(turnJson(turn, chosen)))
    const before = await services.stores.models.turns.last(room.name, turn)
    out.line(heading(turn, sent.length) + sameAsBefore(turn, before))
    if (isPage && !printPage(chosen, turn.id, out)) return
    for (const one of isPage ? [] : chosen) {
      out.line(cleanText(requestText(one)))
      await out.ready()
      if (signal.aborted) return
    }
    if (chosen.at(-1)?.number !== sent.length) return
    const entries = await entriesOf(turn, room, out)
    const show = (title: string, text: string): void =>
      out.line(cleanText(`-- ${title}\n${isPage ? foldHead(text, out.columns) : text}`))
    for (const { text } of questionsOf(entries)) show('asked', text)
    const answer = answerOf(entries)
    if (answer !== '') show('answer', answer)
  },
})

/** Throws `Refusal`. A turn of another room is treated like one that does not exist. */
async function findTurn(id: string, room: Room, { stores }: Services): Promise<TurnRecord> {
  const { turns } = stores.models
  if (id === 'last') {
    const last = await turns.last(room.name)
    if (last) return last
    throw new Refusal(`no model was asked in ${room.name} yet`)
  }
  const turn = (await turns.find(id)) ?? (await turns.find((await turnOfEntry(id, room)) ?? ''))
  if (turn?.room === room.name) return turn
  throw new Refusal(`there is no turn ${id.slice(0, 40)} in ${room.name}, and no entry of a turn`)
}

async function turnOfEntry(id: string, room: Room): Promise<string | undefined> {
  const entry = await findEntry(id, room)
  return entry && 'turn' in entry ? entry.turn : undefined
}

/** Resolves to the entry of a room by id, which may be any word; with `revised`, to no retracted entry. */
export async function findEntry(
  id: string,
  room: Room,
  how: Pick<LogQuery, 'revised'> = {},
): Promise<Entry | undefined> {
  // All ids have the same length, so a longer text sorts right after the entry itself.
  const [entry] = await room.history({ ...how, limit: 1, before: `${id.slice(0, 40)}0` as EntryId })
  return entry?.id === id ? entry : undefined
}

const PAGE = 64
/** Allows for clocks that step back a little. */
const LATE_MS = 60_000

/** Resolves to the entries of a turn, oldest first; none if its question is unknown, as in older versions. */
async function entriesOf(
  { id, message, endedAt = Infinity }: TurnRecord,
  room: Room,
  out: Output,
): Promise<readonly Entry[]> {
  const kinds = ['reply', 'notice', 'tool_call', 'tool_result', 'approval'] as const
  const found: Entry[] = []
  for (let after = message; after !== undefined;) {
    await out.ready()
    const page = await room.history({ limit: PAGE, oldestFirst: true, after, kinds })
    found.push(...page.filter((entry) => 'turn' in entry && entry.turn === id))
    const last = page.at(-1)
    const isPast = page.length < PAGE || isEnd(found.at(-1)) || (last && last.at > endedAt + LATE_MS)
    after = isPast ? undefined : last?.id
  }
  return found
}

/** Returns the text of the last step, and why the turn ended; empty if there is neither. */
const answerOf = (entries: readonly Entry[]): string =>
  lastStep(entries)
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join('\n')

function choose(
  turn: TurnRecord,
  sent: readonly NumberedRequest[],
  number: string | undefined,
  andFurther: boolean,
): readonly NumberedRequest[] {
  if (number === undefined) return sent
  const at = sent.findIndex((one) => String(one.number) === number)
  if (at >= 0) return andFurther ? sent.slice(at) : sent.slice(at, at + 1)
  const last = sent.length === 0 ? `in this turn ${nothingSent(turn)}` : `requests are 1 to ${sent.length}`
  throw new Misuse(`there is no request ${number.slice(0, 20)}; ${last}`)
}

/** Lines after which a page begins no further request, so that most screens still show its first lines. */
const PAGE_LINES = 24

/** Returns true if it printed all requests. */
function printPage(requests: readonly NumberedRequest[], id: string, out: Output): boolean {
  let lines = 0
  for (const [at, one] of requests.entries()) {
    if (lines >= PAGE_LINES) {
      const left = counted(requests.length - at, 'more request')
      out.line(`-- ${left}: /turn ${id} ${one.number}`)
      return false
    }
    const text = cleanText(requestText(one, out.columns))
    lines += text.split('\n').length
    out.line(text)
  }
  return true
}

function turnJson(turn: TurnRecord, chosen: readonly NumberedRequest[]) {
  const { steps: _, ...facts } = turn
  return {
    ...facts,
    ...splitLabel(turn.model),
    requests: chosen.map(({ number, now }) => ({ request: number, ...now })),
  }
}

function heading(turn: TurnRecord, requests: number): string {
  const { id, model, requester, outcome, error, parent } = turn
  const end = `${outcome ?? 'running'}${error ? `, ${cleanText(error)}` : ''}`
  const sent = requests === 0 ? nothingSent(turn) : counted(requests, 'request')
  const side = parent === undefined ? '' : `; a side turn of ${parent}`
  return `-- turn ${id}: @${model} for ${requester}: ${end}; ${sent}${side}`
}

/**
 * Returns the share of the first request that begins like the model's previous request, which a provider may
 * have cached. Empty if there is none.
 */
function sameAsBefore(turn: TurnRecord, before: TurnRecord | undefined): string {
  const now = requestsOf(turn)[0]
  const earlier = before && requestsOf(before).at(-1)
  if (!now || !earlier) return ''
  const [text, textBefore] = [wholeText(now), wholeText(earlier)]
  let same = 0
  while (same < text.length && text[same] === textBefore[same]) same += 1
  return `; same as before: ${Math.floor((100 * same) / text.length)} %`
}

/** Returns the parts of a request in the order in which providers read them. */
const wholeText = ({ prompt, tools }: Pick<SentRequest, 'prompt' | 'tools'>): string =>
  JSON.stringify(tools) + prompt.system + userContent(prompt)
