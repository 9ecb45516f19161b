import { takeWord } from '../../base/text/words.ts'
import { arg, flag, JSON_FLAG, Misuse, text } from '../command.ts'
import { callerPermissions, completeAsked, modelNamed, printAnswer } from './answer.ts'
import { questionOf } from './ask.ts'
import { numberFlag, verb } from './common.ts'

const ROUNDS = { fallback: 1, most: 3 }
const MOST_TOKENS = 999_999

export const panel = verb({
  name: 'panel',
  showsWords: true,
  summary:
    'ask several models one question: each answers alone, then reads the others in further rounds; one of them writes the answer, and says where they differ',
  room: 'here',
  flags: [
    flag('rounds', `1 to ${ROUNDS.most}, usually ${ROUNDS.fallback}`, { value: 'N' }),
    flag('merge', 'the model or persona that writes the answer; usually the first', { value: 'MODEL' }),
    flag('tokens', 'the most tokens that the whole panel may use, input and output together', { value: 'N' }),
    JSON_FLAG,
  ],
  arguments: [
    arg('first', 'the first model or persona of the room, with or without @'),
    arg('second', 'another'),
    text('question', 'further models with @, then the question; a script may add standard input', {
      optional: true,
    }),
  ],
  example: '@guide @qwen why?',
  complete: { first: completeAsked, second: completeAsked, question: completeAsked, merge: completeAsked },
  async run(context, services) {
    const { args, flags, room, person, session, script } = context
    const names = await services.turns.personas.namesIn(room.name)
    const { models, given, question } = readWords(args.question)
    const rounds = numberFlag('--rounds', given.rounds ?? flags.rounds, ROUNDS)
    const merge = given.merge ?? flags.merge
    const limit = given.tokens ?? flags.tokens
    const how = await callerPermissions(services, context, [])
    const request = {
      models: [args.first, args.second, ...models].map((name) => modelNamed(name, names)),
      merger: merge === undefined ? undefined : modelNamed(merge, names),
      rounds,
      tokens:
        limit === undefined
          ? undefined
          : numberFlag('--tokens', limit, { fallback: 20_000, most: MOST_TOKENS }),
      question: (await questionOf(question, script)).text,
    }
    if (session) return void (await services.speech.askPanel(room, person, request))
    return await printAnswer(context, () => services.speech.askPanel(room, person, request, how), {
      withParts: true,
    })
  },
})

type GivenFlags = Partial<Record<'rounds' | 'merge' | 'tokens', string>>

/** Takes further models, and flags after models, from the beginning of the question. */
function readWords(words = '') {
  const models: string[] = []
  const given: GivenFlags = {}
  let question = words
  for (;;) {
    const { word, rest } = takeWord(question.trimStart())
    const name = /^--(rounds|merge|tokens)$/.exec(word)?.[1] as keyof GivenFlags | undefined
    if (name) {
      const value = takeWord(rest.trimStart())
      if (value.word === '') throw new Misuse(`${word} needs a value`)
      given[name] = value.word
      question = value.rest
    } else if (/^@[a-z0-9_.-]+$/i.test(word)) {
      models.push(word)
      question = rest
    } else return { models, given, question: question.trimStart() === '' ? undefined : question.trimStart() }
  }
}
