import { mentions } from '../words/mentions.ts'
import type { ModelRequest } from '../wrap/loop/index.ts'
import { askerIn, mayManage, type Asker, type GuidePlace } from './guide-place.ts'

interface Step {
  readonly type: string
  readonly shows: string
  /** Absent for a command: it leaves nothing in the conversation. */
  readonly isDone?: boolean
}

/**
 * Introduces the guide and lists what the asker can try here. It stores nothing: it ticks steps that it finds
 * in the asker's own messages in its prompt.
 */
export function tour({ prompt }: Pick<ModelRequest, 'prompt'>, name: string, place: GuidePlace): string {
  const asker = askerIn(prompt.context)
  const said = messagesOf(asker.name, prompt.context, prompt.message)
  const commands = new Set(place.commands().map((command) => command.name))
  const hasQuestions = prompt.tools.some(({ id }) => place.asks(id))
  const steps = [
    ...talkSteps(said, name, place.models()),
    ...commandSteps(asker, place, hasQuestions).filter(({ type }) => commands.has(verbOf(type))),
  ]
  const tools = { type: `@${name} tools`, shows: 'which tools a model may use here' }
  const help = { type: `@${name} how do I talk to bob?`, shows: 'answers from /help' }
  return [
    `I am @${name}. I am no language model; I show you this place. Try:`,
    '',
    ...steps.map(line),
    '',
    'Ask me, too:',
    '',
    ...(commands.has('msg') ? [help, tools] : [tools]).map(line),
  ].join('\n')
}

const verbOf = (type: string): string => /^\/(\w+)/.exec(type)?.[1] ?? ''

/** In backticks, a name mentions no model. */
const line = ({ type, shows, isDone }: Step): string =>
  `- ${isDone === undefined ? '' : `[${isDone ? 'x' : ' '}] `}\`${type}\` – ${shows}`

function talkSteps(said: readonly string[], name: string, models: readonly string[]): readonly Step[] {
  const [model] = models
  const asked = said.map((text) => mentions(text, [name, ...models]))
  const hasContent = asked.some((names) => names.length === 0)
  const isAsked = asked.flat().some((one) => one !== name)
  const question = `@${model} what can you do here?`
  return [
    { type: 'hello everybody', shows: 'all who are here read it', isDone: hasContent },
    ...(model ? [{ type: question, shows: 'asks a model; all read its answer', isDone: isAsked }] : []),
  ]
}

function commandSteps(asker: Asker, place: GuidePlace, hasQuestions: boolean): readonly Step[] {
  const [model] = place.models()
  const isManager = mayManage(asker)
  const allow = 'lets a tool run that a model wants to use, when it asks you; /deny does not'
  const off = 'takes the tools from the models here; /tools on gives them back'
  const steps: readonly (readonly [isHere: boolean, type: string, shows: string])[] = [
    [hasQuestions && model !== undefined, '/allow', allow],
    [asker.role !== 'guest', '/create NAME', 'makes a room of your own'],
    [isManager && asker.isPrivate, '/invite NAME', 'lets somebody into this private room'],
    [mayMakeCodes(asker, place), '/invites new', 'a code that lets somebody new in'],
    [true, model === undefined ? '/wrap' : `/wrap @${model}`, 'what a model reads here'],
    [isManager, '/tools off', off],
    [!isManager, '/tools', 'which tools the models have here'],
  ]
  return steps.filter(([isHere]) => isHere).map(([, type, shows]) => ({ type, shows }))
}

function mayMakeCodes(asker: Asker, { inviteMakers }: GuidePlace): boolean {
  const makers = inviteMakers()
  if (asker.role === 'admin') return makers !== undefined
  // `ops` means the ops of the lobby; the asker's role there is unknown in other rooms.
  if (makers === 'ops') return asker.room === 'lobby' && mayManage(asker)
  return makers === 'members' && asker.role !== 'guest'
}

const CONVERSATION = '\n## The conversation so far\n'

/**
 * Returns the texts of one author's messages and of the message to be answered. Later lines of an entry are
 * indented.
 */
function messagesOf(author: string, context: string, message: string): readonly string[] {
  const [, ...parts] = `\n${context}`.split(CONVERSATION)
  const entries = `${parts.join(CONVERSATION)}\n${message}`.split(/\n(?! )/)
  const head = `${author}: `
  return author === ''
    ? []
    : entries.filter((entry) => entry.startsWith(head)).map((entry) => entry.slice(head.length))
}
