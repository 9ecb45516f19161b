import type { EntryId, MessageEntry } from '../../chat/entry.ts'
import { Refusal } from '../../chat/errors.ts'
import { mentions } from '../../chat/mentions.ts'
import type { Person } from '../../chat/people/person.ts'
import type { Room } from '../../chat/room.ts'
import { isBy } from '../../chat/talk/revise.ts'
import type { TurnRecord, TurnStore } from '../../turns/ports.ts'
import type { Turns } from '../../turns/turns.ts'
import type { Speech } from '../speech.ts'
import { ALLOW_FLAG, ALLOW_NOTE, type CallerPermissions } from './shared/allow-flag.ts'
import { entryById } from './shared/entry-by-id.ts'
import { printAnswer } from './shared/answer.ts'
import { type Command, JSON_FLAG, defineCommand } from '../command.ts'

/** Turns of one person that are looked at. */
const MAX_TURNS_BACK = 20

export function retryCommand(
  turns: Pick<Turns, 'running' | 'names'>,
  store: Pick<TurnStore, 'asked'>,
  speech: Pick<Speech, 'again'>,
  permissionsOf: CallerPermissions,
): Command {
  const once = createOnce()
  return defineCommand({
    name: 'retry',
    summary:
      'ask your last question again that got no whole answer: its turn failed, was stopped or cut; or else your last one',
    room: 'here',
    flags: [JSON_FLAG, ALLOW_FLAG],
    example: '',
    rights: { note: ALLOW_NOTE },
    async run(context) {
      const { room, person, flags, session } = context
      const how = await permissionsOf(context, flags.allow)
      const asked = chosen(await askedBy(person, room, turns, store), room)
      const { message, model } = asked
      const again = () =>
        once(`${message.id} ${model}`, async () => {
          refuseIfRunning(asked, room, turns)
          return await speech.again({ room, message, model }, person, how)
        })
      if (session) return void (await again())
      return await printAnswer(context, async () => ({ message, turn: await again() }))
    },
  })
}

/** Something that a person asked a model, and how a turn for it ended. */
interface Asked {
  readonly message: MessageEntry
  readonly model: string
  readonly outcome: string | undefined
}

/** Newest turn first. */
async function askedBy(
  person: Person,
  room: Room,
  turns: Pick<Turns, 'names'>,
  store: Pick<TurnStore, 'asked'>,
): Promise<readonly Asked[]> {
  const asked = await store.asked(room.name, person.id, MAX_TURNS_BACK)
  const ids = new Set(asked.flatMap(({ message }) => message ?? []))
  const found = await Promise.all([...ids].map((id) => messageOf(id, room)))
  const messages = new Map(found.flatMap((one) => (one && isBy(one, person) ? [[one.id, one] as const] : [])))
  return asked.flatMap((turn) => {
    const message = turn.message && messages.get(turn.message)
    if (!message) return []
    return [{ message, model: modelAsked(turn, message, turns.names()), outcome: turn.outcome }]
  })
}

/** As it reads now. Only what a person said is asked again: a model's reply that called another model is none. */
async function messageOf(id: EntryId, room: Room): Promise<MessageEntry | undefined> {
  const entry = await entryById(id, room, { revised: true })
  return entry?.kind === 'message' ? entry : undefined
}

/** A turn that was handed over has the name of the fallback; what was asked was for the model that it mentions. */
function modelAsked({ model }: TurnRecord, { text }: MessageEntry, names: readonly string[]): string {
  const mentioned = mentions(text, names)
  return mentioned.includes(model) ? model : (mentioned[0] ?? model)
}

/** Throws `Refusal` where nothing was asked. */
function chosen(asked: readonly Asked[], room: Room): Asked {
  const unanswered = asked.find(
    (one, index) => ENDED_BADLY.has(one.outcome ?? '') && !isAnswered(one, asked.slice(0, index)),
  )
  const one = unanswered ?? asked[0]
  if (one) return one
  throw new Refusal(`you have asked no model in ${room.name} lately; say @MODEL and your question`)
}

const ENDED_BADLY: ReadonlySet<string> = new Set(['failed', 'stopped', 'cut'])

const isAnswered = ({ message, model }: Asked, later: readonly Asked[]): boolean =>
  later.some((one) => one.message.id === message.id && one.model === model && one.outcome === 'done')

function refuseIfRunning({ message, model }: Asked, room: Room, turns: Pick<Turns, 'running'>): void {
  const running = turns.running(room.name).find((turn) => turn.message === message.id && turn.model === model)
  if (running) throw new Refusal(isAtWork(model))
}

const isAtWork = (model: string): string =>
  `@${model} is at work on that question; stop it, or wait until it is done`

/** Runs a job, unless one with the same key is under way: then it throws `Refusal`. */
function createOnce() {
  const underWay = new Set<string>()
  return async <T>(key: string, job: () => Promise<T>): Promise<T> => {
    if (underWay.has(key)) throw new Refusal(isAtWork(key.split(' ')[1] ?? ''))
    underWay.add(key)
    try {
      return await job()
    } finally {
      underWay.delete(key)
    }
  }
}
