import { mentions } from '../words/mentions.ts'
import type { ModelRequest } from '../wrap/loop/index.ts'
import { askerIn, mayManage, type Asker, type GuidePlace } from './guide-place.ts'

interface Step {
  readonly type: string
  readonly shows: string
}

/** Steps of one answer, which has five lines with its first and last line. */
const MAX_STEPS = 3

/**
 * Introduces the guide, or begins with the line `missed`, and lists steps that the asker can try here. Stores
 * nothing: the asker's messages in the prompt tell which steps are done.
 */
export function tour(
  { prompt }: Pick<ModelRequest, 'prompt'>,
  name: string,
  place: GuidePlace,
  missed?: string,
): string {
  const asker = askerIn(prompt.context)
  const said = messagesOf(asker.name, prompt.context, prompt.message)
  const commands = new Set(place.commands().map((command) => command.name))
  const steps = [
    ...talkSteps(said, name, place.models()),
    ...commandSteps(asker, place).filter(({ type }) => commands.has(verbOf(type))),
  ]
  return [
    missed ?? `I am @${name}. I am no language model; I show you this place. Try:`,
    ...steps.slice(0, MAX_STEPS).map(line),
    line({ type: `@${name} how do I send a file?`, shows: `asks me; \`@${name} tools\` lists tools` }),
  ].join('\n')
}

const verbOf = (type: string): string => /^\/(\w+)/.exec(type)?.[1] ?? ''

/** Backticks keep a name from mentioning a model. */
const line = ({ type, shows }: Step): string => `- \`${type}\` – ${shows}`

function talkSteps(said: readonly string[], name: string, models: readonly string[]): readonly Step[] {
  const [model] = models
  const asked = said.map((text) => mentions(text, [name, ...models]))
  const hasSpoken = asked.some((names) => names.length === 0)
  const hasAsked = asked.flat().some((one) => one !== name)
  const question = `@${model} what can you do here?`
  return [
    ...(hasSpoken ? [] : [{ type: 'hello everybody', shows: 'everybody here reads this' }]),
    ...(model && !hasAsked
      ? [{ type: question, shows: 'asks a model; everybody here reads the answer' }]
      : []),
  ]
}

function commandSteps(asker: Asker, place: GuidePlace): readonly Step[] {
  const steps: readonly (readonly [isHere: boolean, type: string, shows: string])[] = [
    [mayManage(asker) && asker.isPrivate, '/invite NAME', 'lets somebody into this private room'],
    [mayMakeCodes(asker, place), '/invites new', 'makes a code with which a new person can register'],
    [asker.role !== 'guest', '/create NAME', 'makes a room of your own'],
    [true, '/msg NAME TEXT', 'writes to one person alone'],
    [true, '/next', 'goes to a room where you are named, or to one with new lines'],
    [true, '/search WORDS', 'finds what was said'],
  ]
  return steps.filter(([isHere]) => isHere).map(([, type, shows]) => ({ type, shows }))
}

function mayMakeCodes(asker: Asker, { inviteMakers }: GuidePlace): boolean {
  const makers = inviteMakers()
  if (asker.role === 'admin') return makers !== undefined
  // `ops` means the ops of the lobby; in other rooms the asker's role in the lobby is unknown.
  if (makers === 'ops') return asker.room === 'lobby' && mayManage(asker)
  return makers === 'members' && asker.role !== 'guest'
}

const CONVERSATION = '\n## The conversation so far\n'

/** Returns one author's messages, including the message to answer. An entry's later lines are indented. */
function messagesOf(author: string, context: string, message: string): readonly string[] {
  const [, ...parts] = `\n${context}`.split(CONVERSATION)
  const entries = `${parts.join(CONVERSATION)}\n${message}`.split(/\n(?! )/)
  const head = `${author}: `
  return author === ''
    ? []
    : entries.filter((entry) => entry.startsWith(head)).map((entry) => entry.slice(head.length))
}
