import { type Condition, conditionText, type ListedRoutine } from '../../turns/routines/index.ts'
import { parseDuration } from '../../base/amounts.ts'
import { mentionedWords } from '../../words/mentions.ts'
import { Refusal } from '../../words/errors.ts'
import { arg, type CommandContext, flag, Misuse, text } from '../command.ts'
import { completeAsked, modelNamed } from './answer.ts'
import { type Services, verb } from './common.ts'
import {
  completeTools,
  limitsOf,
  madeText,
  ROUTINE_FLAGS,
  ROUTINE_NOTE,
  zoneOfCaller,
} from './routine-options.ts'

export const watch = verb({
  name: 'watch',
  summary:
    'ask a model when a person here writes a line with these words, in any case; the model reads the line, too',
  room: 'here',
  flags: [
    flag('regex', 'the words are a regular expression (RE2)'),
    flag('once', 'at most one run in this time, such as 10m', { value: 'TIME' }),
    flag('programs', 'also look at lines that programs post'),
    ...ROUTINE_FLAGS,
  ],
  arguments: [text('words', 'the words to find, then @MODEL, then the question')],
  example: 'disk full @qwen which files could go?',
  rights: { note: ROUTINE_NOTE },
  complete: { tools: completeTools, once: () => ['10m', '1h', '1d'] },
  async run(context, services) {
    const { room, person, args, flags, out } = context
    const { routines, turns, clock } = services
    const { words, model, asked } = splitWatch(args.words, await turns.personas.namesIn(room.name))
    const pauseMs = flags.once === undefined ? undefined : pauseOf(flags.once)
    const condition: Condition = {
      kind: 'line',
      words,
      model,
      ...(flags.regex && { isRegex: true }),
      ...(pauseMs !== undefined && { pauseMs }),
      ...(flags.programs && { programs: true }),
    }
    const limits = await limitsOf(services, context, room, await zoneOfCaller(context, services))
    const made = await routines.make(person, { room, text: asked, condition, ...limits })
    out.line(madeText(made, context, clock.now()))
  },
})

/** Splits `disk full @qwen which files?` at the first model. Throws `Misuse`; `Refusal` for a wrong name. */
function splitWatch(line: string, names: readonly string[]) {
  for (const found of line.matchAll(/(?<=^|\s)@([a-z0-9_.-]+)[:,]?(?=\s|$)/gi)) {
    const model = found[1]!.toLowerCase()
    if (!names.includes(model)) continue
    const [words, asked] = [
      line.slice(0, found.index).trim(),
      line.slice(found.index + found[0].length).trim(),
    ]
    if (words === '') throw new Misuse('the words to look for are missing before the model')
    if (asked === '') throw new Misuse(`what @${model} is asked is missing behind it`)
    return { words, model, asked }
  }
  const last = mentionedWords(line).at(-1)
  if (last) modelNamed(last.word, names)
  throw new Misuse('a model is missing: WORDS @MODEL TEXT')
}

function pauseOf(word: string): number {
  const ms = parseDuration(word)
  if (ms === undefined) throw new Misuse('--once takes a time, such as --once 10m')
  return ms
}

const LISTEN_ARGUMENTS = [
  arg('model', 'a model (@qwen), or off', { optional: true }),
  arg('which', 'after off: only this model stops listening', { optional: true }),
] as const

const LISTEN_FLAGS = [flag('all', 'answer every line, not only follow-ups'), ...ROUTINE_FLAGS] as const

type ListenContext = CommandContext<'here', typeof LISTEN_ARGUMENTS, typeof LISTEN_FLAGS>

export const listen = verb({
  name: 'listen',
  summary:
    'let a model answer lines that mention nobody: follow-ups to its answers, or with --all every line; off ends this; without MODEL, list the models that listen',
  room: 'here',
  flags: LISTEN_FLAGS,
  arguments: LISTEN_ARGUMENTS,
  example: '@qwen',
  rights: { note: ROUTINE_NOTE },
  needsVoice: ({ model }) => model !== undefined && model !== 'off',
  complete: {
    model: async (where, services) => ['off', ...(await completeAsked(where, services))],
    which: async (where, services) => (where.given[0] === 'off' ? await completeAsked(where, services) : []),
    tools: completeTools,
  },
  async run(context, services) {
    const { args, room, person } = context
    const all = await services.routines.list(person, room)
    const listening = all.filter(({ condition }) => condition.kind === 'each')
    if (args.model === 'off') return await endListening(context, services, listening)
    const { talk } = await room.info()
    if (args.model === undefined) return showListening(context, listening, talk)
    if (args.which !== undefined) throw new Misuse('it takes one model, and no text')
    if (talk !== undefined && args.model.replace(/^@/, '').toLowerCase() === talk)
      throw new Refusal(`${room.name} is a talk: @${talk} answers each line of its owner anyway`)
    await beginListening(context, services, listening)
  },
})

function showListening(
  { room, session, out }: ListenContext,
  listening: readonly ListedRoutine[],
  talk: string | undefined,
): void {
  const [slash, place] = session ? ['/', ''] : ['', ` ${room.name}`]
  if (talk !== undefined) out.line(`@${talk} answers each line of the owner: ${room.name} is a talk`)
  else if (listening.length === 0)
    return out.line(`no model listens in ${room.name}; ${slash}listen${place} @MODEL lets one`)
  for (const { condition, zone, number, by, state, reason } of listening)
    out.line(
      `${conditionText(condition, zone)} (routine ${number} of ${by})${state === 'paused' ? `, paused: ${reason}` : ''}; ${slash}listen${place} off ends it`,
    )
}

async function endListening(
  { args, flags, room, person, session, out }: ListenContext,
  { routines, turns }: Services,
  listening: readonly ListedRoutine[],
): Promise<void> {
  if (flags.all) throw new Misuse('--all is for a model that begins to listen')
  // A removed model can still be told not to listen.
  const names = [...(await turns.personas.namesIn(room.name)), ...listening.map(modelOf)]
  const model = args.which === undefined ? undefined : modelNamed(args.which, names)
  const ending = listening.filter((one) => model === undefined || modelOf(one) === model)
  if (ending.length === 0)
    throw new Refusal(
      model === undefined ? `no model listens in ${room.name}` : `@${model} does not listen in ${room.name}`,
    )
  for (const { number } of ending) await routines.end(person, { room: room.name }, number)
  if (!session) out.line(`${ending.map((one) => `@${modelOf(one)}`).join(', ')} listens no more`)
}

/** A model listens once per room; a second use changes its settings. */
async function beginListening(
  context: ListenContext,
  services: Services,
  listening: readonly ListedRoutine[],
): Promise<void> {
  const { args, flags, room, person, out } = context
  const { routines, turns, clock } = services
  const model = modelNamed(args.model ?? '', await turns.personas.namesIn(room.name))
  const before = listening.find((one) => modelOf(one) === model)
  const condition: Condition = { kind: 'each', model, ...(flags.all && { all: true }) }
  const limits = await limitsOf(services, context, room, await zoneOfCaller(context, services))
  const made = await routines.make(person, { room, text: '', condition, ...limits })
  if (before) await routines.end(person, { room: room.name }, before.number)
  out.line(madeText(made, context, clock.now()))
}

const modelOf = ({ condition }: ListedRoutine): string => ('model' in condition ? condition.model : '')
