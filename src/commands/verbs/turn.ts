import { Refusal } from '../../chat/errors.ts'
import type { Room } from '../../chat/room.ts'
import { counted } from '../../lib/plural.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import { safeJson } from '../../lib/safe-json.ts'
import type { TurnRecord, TurnStore } from '../../turns/ports.ts'
import { turnPage } from '../../pages/turn-page.ts'
import { HTML_FLAG, printHtml, refuseInSession } from './shared/html-page.ts'
import { entriesOfTurn } from './shared/turn-entries.ts'
import { entryById } from './shared/entry-by-id.ts'
import { sentIn, requestText, type NumberedRequest } from './shared/sent-requests.ts'
import { type Command, type CommandContext, JSON_FLAG, Misuse, defineCommand } from '../command.ts'

type Turns = Pick<TurnStore, 'find' | 'last'>

export const turnCommand = (turns: Turns): Command =>
  defineCommand({
    name: 'turn',
    summary: 'what a past turn was really sent, request by request; a session folds it, full prints all',
    room: 'here',
    flags: [JSON_FLAG, HTML_FLAG],
    arguments: [
      {
        name: 'id',
        about: 'of the turn or of an entry of it; last, or nothing, for the last turn',
        optional: true,
      },
      { name: 'request', about: 'its number; a session shows a page from there on', optional: true },
      { name: 'full', about: 'all of it, also in a session', optional: true, oneOf: ['full'] },
    ],
    example: 'last 1',
    needsVoice: () => false,
    complete: ({ argument, given }) =>
      argument === 'id' ? ['last', 'full'] : given.includes('full') ? [] : ['full'],
    async run({ room, args, flags, out, session, signal }) {
      const { id, request, full } = wanted(args)
      if (flags.html) refuseInSession({ session }, 'turn', id)
      const turn = await findTurn(id, room, turns)
      if (flags.html) {
        const entries = await entriesOfTurn(turn, room, out)
        return await printHtml(turnPage(turn, entries), { out, signal })
      }
      const sent = sentIn(turn)
      const isPage = session !== undefined && !full
      const chosen = chosenOf(sent, request, isPage)
      if (flags.json) return out.line(safeJson(turnJson(turn, chosen)))
      out.line(heading(turn, sent.length))
      if (isPage) return printPage(chosen, turn.id, out)
      for (const one of chosen) {
        out.line(cleanText(requestText(one)))
        await out.ready()
        if (signal.aborted) return
      }
    },
  })

/** The words of the line: any of them may be left out before `full`. */
interface Wanted {
  readonly id: string
  readonly request?: string
  readonly full: boolean
}

function wanted({
  id,
  request,
  full,
}: {
  id?: string | undefined
  request?: string | undefined
  full?: string | undefined
}): Wanted {
  if (id === 'full' && request === undefined) return { id: 'last', full: true }
  if (request === 'full' && full === undefined) return { id: id ?? 'last', full: true }
  return { id: id ?? 'last', full: full === 'full', ...(request === undefined ? {} : { request }) }
}

/** Throws `Refusal`. A turn of another room is treated like one that does not exist. */
async function findTurn(id: string, room: Room, turns: Turns): Promise<TurnRecord> {
  if (id === 'last') {
    const last = await turns.last(room.name)
    if (last) return last
    throw new Refusal(`no model was asked in ${room.name} yet`)
  }
  const turn = (await turns.find(id)) ?? (await turns.find((await turnOfEntry(id, room)) ?? ''))
  if (turn?.room === room.name) return turn
  throw new Refusal(`there is no turn ${id.slice(0, 40)} in ${room.name}, and no entry of a turn`)
}

/** The turn that an entry belongs to. */
async function turnOfEntry(id: string, room: Room): Promise<string | undefined> {
  const entry = await entryById(id, room)
  return entry && 'turn' in entry ? entry.turn : undefined
}

/** All requests, those from a number on, or the one of that number. Throws `Misuse`. */
function chosenOf(
  sent: readonly NumberedRequest[],
  number: string | undefined,
  andFurther: boolean,
): readonly NumberedRequest[] {
  if (number === undefined) return sent
  const at = sent.findIndex((one) => String(one.number) === number)
  if (at >= 0) return andFurther ? sent.slice(at) : sent.slice(at, at + 1)
  const last = sent.length === 0 ? 'nothing was sent in this turn' : `requests are 1 to ${sent.length}`
  throw new Misuse(`there is no request ${number.slice(0, 20)}; ${last}`)
}

/** Lines after which a page begins no further request: what it says first is still on most screens. */
const PAGE_LINES = 24

function printPage(
  requests: readonly NumberedRequest[],
  id: string,
  out: CommandContext<'here'>['out'],
): void {
  let lines = 0
  for (const one of requests) {
    if (lines >= PAGE_LINES) {
      const left = requests.length - requests.indexOf(one)
      return out.line(`-- ${counted(left, 'more request')}: /turn ${id} ${one.number}`)
    }
    const text = cleanText(requestText(one, out))
    lines += text.split('\n').length
    out.line(text)
  }
}

function turnJson(turn: TurnRecord, chosen: readonly NumberedRequest[]) {
  const { steps: _, ...facts } = turn
  return { ...facts, requests: chosen.map(({ number, now }) => ({ request: number, ...now })) }
}

function heading({ id, model, requester, outcome, error, parent }: TurnRecord, requests: number): string {
  const end = `${outcome ?? 'running'}${error ? `, ${cleanText(error)}` : ''}`
  const sent = requests === 0 ? 'nothing was sent' : counted(requests, 'request')
  const side = parent === undefined ? '' : `; a side turn of ${parent}`
  return `-- turn ${id}: @${model} for ${requester}: ${end}; ${sent}${side}`
}
