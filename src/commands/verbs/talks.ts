import { Refusal } from '../../words/errors.ts'
import { countText, type Room } from '../../chat/index.ts'
import { arg, type Caller, type CommandContext, flag, JSON_FLAG, Misuse, text } from '../command.ts'
import { ALLOW_FLAG, callerPermissions, completeModel, modelNamed, printAnswer } from './answer.ts'
import { questionOf } from './ask.ts'
import { print, programMarks, type Services, tellRoom, verb } from './common.ts'
import { setCheckpoint } from './history.ts'

const TALK_ARGUMENTS = [
  arg('model', 'a model, with or without @', { optional: true }),
  text('text', 'the first line to say there; a script may add standard input', { optional: true }),
] as const

const TALK_FLAGS = [
  flag('new', 'the model no longer reads the earlier conversation, which stays in the log'),
  JSON_FLAG,
  ALLOW_FLAG,
] as const

type TalkContext = CommandContext<'none', typeof TALK_ARGUMENTS, typeof TALK_FLAGS>

export const talk = verb({
  name: 'talk',
  summary:
    'open your own room with a model, which answers each line there without @; without MODEL, list these rooms',
  flags: TALK_FLAGS,
  arguments: TALK_ARGUMENTS,
  example: '@guide',
  rights: {
    note: 'A script prints the answer, as `ask` does; `ssh -t HOST talk @MODEL` begins a session there.',
  },
  complete: { model: completeModel },
  async run(context, services) {
    if (context.args.model === undefined) return await listTalks(context, services)
    const { room, isNew } = await openTalk(services, context.args.model, context)
    if (context.flags.new && !isNew) await beginAfresh(services, room, context)
    return context.session
      ? await enterTalk(context, services, room)
      : await askInTalk(context, services, room)
  },
})

/** Rejects with `Refusal` if there is no such model now. */
export async function openTalk(
  { talks, turns }: Pick<Services, 'talks' | 'turns'>,
  word: string,
  { person }: Pick<Caller, 'person'>,
): ReturnType<Services['talks']['open']> {
  const name = word.replace(/^@/, '').toLowerCase()
  const names = turns.names()
  const paused = names.includes(name)
    ? undefined
    : (await talks.list(person)).find((one) => one.talk === name)
  if (paused)
    throw new Refusal(
      `the talk ${paused.name} is paused: there is no model @${name} now; /join ${paused.name} shows what was said`,
    )
  return await talks.open(person, modelNamed(word, names))
}

/** Models read the talk only from here on. */
async function beginAfresh(services: Services, room: Room, { person }: TalkContext): Promise<void> {
  room.needVoice(person)
  if ((await room.history({ limit: 1 })).length === 0) return
  const words = await setCheckpoint(services, room, person, 'new')
  await tellRoom(room, person, words)
}

async function enterTalk(context: TalkContext, services: Services, room: Room): Promise<void> {
  const { args, flags, person, session, out } = context
  if (flags.json) throw new Misuse('--json lists talks, and is for scripts')
  if (flags.allow.length > 0) await callerPermissions(services, { ...context, room }, flags.allow)
  if (session?.room.name === room.name) out.line(`you are in ${room.name}`)
  else await session?.moveTo(room)
  const model = (await room.info()).talk
  if (args.text !== undefined)
    await services.speech.say(room, person, `@${model} ${args.text}`, programMarks(context, false))
  else if (session?.isPipe) out.line(`-- lines from a pipe need the mention: @${model} …`)
}

async function askInTalk(context: TalkContext, services: Services, room: Room): Promise<void | false> {
  const { args, flags, person, script } = context
  const here = { ...context, room }
  const how = await callerPermissions(services, here, flags.allow)
  const { text: words, isPiped } = await questionOf(args.text, script)
  const model = (await room.info()).talk ?? ''
  return await printAnswer(here, async () => {
    const marks = programMarks(context, isPiped)
    const said = await services.speech.say(room, person, `@${model} ${words}`, { ...how, ...marks })
    const turn = said.turns.get(model)
    if (!turn) throw new TypeError(`@${model} was mentioned, and no turn was started`)
    return { message: said.message, turn }
  })
}

async function listTalks(context: TalkContext, services: Services): Promise<void> {
  const { person, flags, session } = context
  if (flags.new) throw new Misuse('--new needs a model: --new @MODEL')
  const { talks, turns, followed, moderation } = services
  const names = turns.names()
  const news = new Map((await followed.news(person)).map((one) => [one.room, one.count]))
  const listed = (await talks.list(person)).map(({ name, talk: model }) => ({
    model,
    room: name,
    new: news.get(name) ?? 0,
    paused: !names.includes(model),
    archived: moderation.closing.isArchived(name),
  }))
  const lines = listed.map((one) =>
    [
      `@${one.model}  ${one.room}`,
      one.new > 0 && `${countText(one.new)} new`,
      one.paused && `paused: there is no model @${one.model} now`,
      one.archived && 'archived',
    ]
      .filter(Boolean)
      .join('  '),
  )
  const none = `you have no talk yet; ${session ? '/' : ''}talk @MODEL begins one`
  print(context, listed, lines.length > 0 ? lines : none)
}
