import type { EntryId, MessageEntry } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import { mayManage, type Room } from '../../chat/index.ts'
import { mentions } from '../../words/mentions.ts'
import { nameInLabel } from '../../words/names.ts'
import type { Person } from '../../words/person.ts'
import { isOwn } from '../../chat/talk/index.ts'
import type { TurnRecord, TurnAtWork } from '../../turns/index.ts'
import { arg, JSON_FLAG, text, type Caller } from '../command.ts'
import { ALLOW_FLAG, callerPermissions, completeAsked, modelNamed, printAnswer } from './answer.ts'
import { findEntry } from './turn.ts'
import { programMarks, verb, type Services } from './common.ts'

export const ask = verb({
  name: 'ask',
  summary: 'ask a model and wait for its answer',
  room: 'here',
  flags: [JSON_FLAG, ALLOW_FLAG],
  arguments: [
    arg('model', 'its name, with or without @'),
    text('text', 'the question; a script may add standard input', { optional: true }),
  ],
  example: '@guide tools',
  complete: { model: completeAsked },
  async run(context, services) {
    const { args, flags, room, person, session, script } = context
    const model = modelNamed(args.model, await services.turns.personas.namesIn(room.name))
    const how = await callerPermissions(services, context, flags.allow)
    const { text: words, isPiped } = await questionOf(args.text, script)
    const question = `@${model} ${words}`
    const marks = programMarks(context, isPiped)
    if (session) return void (await services.speech.say(room, person, question, marks))
    return await printAnswer(context, async () => {
      const { message, turns: started } = await services.speech.say(room, person, question, {
        ...how,
        ...marks,
      })
      const turn = started.get(model)
      if (!turn) throw new TypeError(`@${model} was mentioned, and no turn was started`)
      return { message, turn }
    })
  },
})

/** Joins the text of the line and the text of the pipe. A last word `-` waits for the end of the pipe. */
export async function questionOf(onLine = '', script: Caller['script']) {
  const waits = onLine === '' || /(^|\s)-$/.test(onLine)
  const piped = (await script?.stdin(waits ? 'until-end' : 'if-ready')) ?? ''
  const parts = [waits ? onLine.replace(/\s*-$/, '') : onLine, piped]
  const question = parts.filter((part) => part.trim() !== '').join('\n')
  if (question === '')
    throw new Refusal(
      `there is nothing to ask: give a text${script ? ', or pipe one in' : ' behind the model'}`,
    )
  return { text: question, isPiped: piped.trim() !== '' }
}

/** Limit of one person's turns that `retry` searches. */
const MAX_TURNS_BACK = 20

export const retry = verb({
  name: 'retry',
  summary:
    'ask your last question again that got no whole answer: its turn failed, was stopped or cut; or else your last one; with a model, ask that one your last question, and keep both answers',
  room: 'here',
  flags: [JSON_FLAG, ALLOW_FLAG],
  arguments: [arg('model', 'the model to ask, with or without @', { optional: true })],
  example: '@guide',
  complete: { model: completeAsked },
  async run(context, services) {
    const { room, person, args, flags, session } = context
    const how = await callerPermissions(services, context, flags.allow)
    const names = await services.turns.personas.namesIn(room.name)
    const other = args.model === undefined ? undefined : modelNamed(args.model, names)
    const { message, model } = choose(await askedBy(person, room, services), room, other)
    const again = async () => {
      const running = services.turns.running(room.name)
      if (running.some((turn) => turn.message === message.id && turn.model === model))
        throw new Refusal(`@${model} is at work on that question; stop it, or wait until it is done`)
      return await services.speech.again({ room, message, model }, person, how)
    }
    if (session) return void (await again())
    return await printAnswer(context, async () => ({ message, turn: await again() }))
  },
})

/** A person's request to a model, and the end of its turn. */
interface Asked {
  readonly message: MessageEntry
  readonly model: string
  readonly outcome: string | undefined
}

/** Resolves to the newest turn first. */
async function askedBy(person: Person, room: Room, { turns, stores }: Services): Promise<readonly Asked[]> {
  const asked = await stores.models.turns.asked(room.name, person.id, MAX_TURNS_BACK)
  const ids = new Set(asked.flatMap(({ message }) => message ?? []))
  const found = await Promise.all([...ids].map((id) => messageOf(id, room)))
  const messages = new Map(
    found.flatMap((one) => (one && isOwn(one, person) ? [[one.id, one] as const] : [])),
  )
  const names = await turns.personas.namesIn(room.name)
  return asked.flatMap((turn) => {
    const message = turn.message && messages.get(turn.message)
    if (!message) return []
    return [{ message, model: modelAsked(turn, message, names), outcome: turn.outcome }]
  })
}

/** Resolves to the message's latest version; undefined for a reply that called another model. */
async function messageOf(id: EntryId, room: Room): Promise<MessageEntry | undefined> {
  const entry = await findEntry(id, room, { revised: true })
  return entry?.kind === 'message' ? entry : undefined
}

/** A fallback's turn has the fallback's name, so the mention in the message identifies the model. */
function modelAsked(turn: TurnRecord, { text: words }: MessageEntry, names: readonly string[]): string {
  const name = nameInLabel(turn.model)
  const mentioned = mentions(words, names)
  return mentioned.includes(name) ? name : (mentioned[0] ?? name)
}

/**
 * Returns the question to repeat and the model to ask: `other` for the last question, or the model that was
 * asked. Throws `Refusal` if nothing was asked.
 */
function choose(
  asked: readonly Asked[],
  room: Room,
  other: string | undefined,
): Pick<Asked, 'message' | 'model'> {
  const [last] = asked
  if (last && other !== undefined) return { message: last.message, model: other }
  const unanswered = asked.find(
    (one, index) => ENDED_BADLY.has(one.outcome ?? '') && !isAnswered(one, asked.slice(0, index)),
  )
  const one = unanswered ?? last
  if (one) return one
  throw new Refusal(`you have asked no model in ${room.name} lately; say @MODEL and your question`)
}

const ENDED_BADLY: ReadonlySet<string> = new Set(['failed', 'stopped', 'cut'])

const isAnswered = ({ message, model }: Asked, later: readonly Asked[]): boolean =>
  later.some((one) => one.message.id === message.id && one.model === model && one.outcome === 'done')

type StopServices = Pick<Services, 'turns' | 'runs' | 'summaries'>

export const stop = verb({
  name: 'stop',
  allowedOverQuota: true,
  allowedWhenCutOff: true,
  summary:
    'stop the models that you called and the tools that you run, or only MODEL; an op stops those of everybody',
  room: 'here',
  arguments: [arg('model', 'stops only turns of this model; with or without @', { optional: true })],
  example: '@guide',
  needsVoice: () => false,
  rights: {
    note: 'People stop only what they asked for; the owner of the room, ops and admins stop everything.',
  },
  complete: {
    model: ({ room }, { turns }) => [...new Set(turns.running(room.name).map(({ model }) => model))],
  },
  run: ({ person, room, args }, services) =>
    args.model === undefined
      ? stopAll(services, room, person)
      : stopModel(services, args.model, room, person),
})

/** Stops what the person asked for; for a manager, everything. Throws `Refusal` if nothing was running. */
async function stopAll(services: StopServices, room: Room, person: Person): Promise<void> {
  const all = mayManage(await room.roleOf(person))
  const isStopped = cancelWork(services, room, person, all)
  const isSummaryStopped = all && services.summaries.stop(room.name)
  if (!isStopped && !isSummaryStopped)
    throw new Refusal(`nothing that you could stop is running in ${room.name}`)
}

/** `^X`: stops only what the person asked for. Rejects with `Refusal` if nothing of it was running. */
export async function stopOwn(
  services: Omit<StopServices, 'summaries'>,
  room: Room,
  person: Person,
): Promise<void> {
  if (cancelWork(services, room, person, false)) return
  const others = services.turns.running(room.name).length + services.runs.running(room.name).length
  const mayStop = others > 0 && mayManage(await room.roleOf(person))
  const hint = mayStop ? '; /stop stops what others asked for' : ''
  throw new Refusal(`nothing that you started is running in ${room.name}${hint}`)
}

/** Returns false if nothing was stopped. */
function cancelWork(
  { turns, runs }: Omit<StopServices, 'summaries'>,
  room: Room,
  person: Person,
  all: boolean,
): boolean {
  const isMeant = (one: { readonly requesterId: Person['id'] }) => all || one.requesterId === person.id
  const stoppedTurns = turns.running(room.name).filter(isMeant)
  const stoppedRuns = runs.running(room.name).filter(isMeant)
  for (const turn of stoppedTurns) cancelFor(person, turn)
  for (const run of stoppedRuns) run.cancel(`${person.name} stopped it`)
  return stoppedTurns.length + stoppedRuns.length > 0
}

/** Throws `Refusal` if the person may stop no turn of the model, or no model has this name. */
async function stopModel({ turns }: StopServices, word: string, room: Room, person: Person): Promise<void> {
  const running = turns.running(room.name)
  // A model that the config does not have any more may still be at work.
  const model = modelNamed(word, [
    ...(await turns.personas.namesIn(room.name)),
    ...running.map((turn) => turn.model),
  ])
  const all = mayManage(await room.roleOf(person))
  const mine = running.filter((turn) => turn.model === model && (all || turn.requesterId === person.id))
  if (mine.length === 0) throw new Refusal(`@${model} is doing nothing in ${room.name} that you could stop`)
  for (const turn of mine) cancelFor(person, turn)
}

/** Tells the room who stopped whose turn. */
const cancelFor = ({ id, name }: Person, { model, requester, requesterId, cancel }: TurnAtWork): void =>
  cancel(`${name} stopped @${model}${requesterId === id ? '' : `'s turn for ${requester}`}`)
