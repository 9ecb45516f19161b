import { cleanLine, cleanText } from '../../base/text/clean-text.ts'
import { headOf } from '../../base/text/characters.ts'
import { skeleton } from '../../base/text/names.ts'
import { indentLater } from '../../words/entry-text.ts'
import { Refusal } from '../../words/errors.ts'
import { isLike, MODEL_NAME, problemWithName, whyReserved } from '../../words/names.ts'
import type { StoredPersona } from '../../turns/index.ts'
import { MAX_PATTERN_CHARACTERS, MAX_PATTERNS, scopeFromWords } from '../../wrap/scope/index.ts'
import { arg, flag, JSON_FLAG, Misuse, text, type RoomContext } from '../command.ts'
import { needManager } from '../runner.ts'
import { modelNamed } from './answer.ts'
import { announce, dateText, iso, print, verb, type Services } from './common.ts'

/** Limit of an instruction, because a model reads all of it in each request. */
const MAX_CHARS = 2_000

/** Limit of a version's characters in the list. */
const MAX_SHOWN_CHARS = 60

/** Completes "only the owner of ROOM, an op or an admin can …". */
const CHANGE = 'make or remove a persona'

export const persona = verb({
  name: 'persona',
  summary:
    'a name that asks a model with an instruction: NAME @MODEL TEXT makes one, NAME shows its versions; without NAME, list all personas',
  room: 'here',
  flags: [
    flag('tools', 'the only tools that it may call, such as read or !Grep; all removes this limit', {
      value: 'PATTERNS',
      repeats: true,
    }),
    flag('back', 'this version of it holds again', { value: 'N' }),
    flag('remove', 'removes the persona: nobody can ask it any more'),
    JSON_FLAG,
  ],
  arguments: [
    arg('name', 'the name that people mention, with or without @', { optional: true }),
    arg('model', 'the model that answers, such as @qwen', { optional: true }),
    text('text', 'the instruction: its role and its task', { optional: true }),
  ],
  example: 'reviewer @guide find what breaks, in one line each',
  rights: { manage: CHANGE, when: (args) => args.model !== undefined },
  complete: {
    name: async ({ room }, { turns }) => (await turns.personas.list(room.name)).map(({ name }) => name),
    model: (_, { turns }) => turns.names().map((name) => `@${name}`),
  },
  async run(context, services) {
    const { room, person, args, flags } = context
    const { model, text: words } = args
    const changes = [model, flags.back, flags.remove || undefined, flags.tools[0]]
    if (!changes.some((one) => one !== undefined)) return await show(context, services)
    if (flags.json) throw new Misuse('--json shows personas, and changes none')
    if (args.name === undefined) throw new Misuse('name the persona: persona NAME @MODEL TEXT')
    await needManager(room, person, CHANGE)
    const name = args.name.replace(/^@/, '')
    const versions = (await services.stores.prompts.personas.versions(room.name)).filter(
      (one) => one.name === name,
    )
    const given = { model, words, tools: flags.tools, back: flags.back, remove: flags.remove }
    const wanted = wantedVersion(versions, name, given, services.turns.names())
    const [newest] = versions
    if (newest && same(newest, wanted)) throw new Refusal(`@${name} is so already`)
    if (wanted.text !== '') await checkName(name, context, services)
    const put = { ...wanted, name, room: room.name, author: person.name, at: services.clock.now() }
    const { version } = await services.turns.personas.put(put)
    // Without the text: all models read the room's notices, and an instruction is for one persona.
    const scope = wanted.tools ? `, tools: ${wanted.tools.join(' ') || 'none'}` : ''
    const of = wanted.text === '' ? '' : ` of @${wanted.model} (version ${version}${scope})`
    await announce(
      context,
      `${person.name} ${wanted.text === '' ? 'removed' : 'set'} the persona @${name}${of}`,
    )
  },
})

type Content = Pick<StoredPersona, 'model' | 'text' | 'tools'>

interface Change {
  readonly model: string | undefined
  readonly words: string | undefined
  readonly tools: readonly string[]
  readonly back: string | undefined
  readonly remove: boolean
}

/** Returns the persona's content after the change. Throws `Misuse` and `Refusal`. */
function wantedVersion(
  versions: readonly StoredPersona[],
  name: string,
  { model, words, tools, back, remove }: Change,
  models: readonly string[],
): Content {
  const newest = versions[0]?.text === '' ? undefined : versions[0]
  const isAlone = model === undefined && tools.length === 0
  if ((remove || back !== undefined) && (!isAlone || (remove && back !== undefined)))
    throw new Misuse('--remove and --back take a name alone')
  if (back !== undefined) {
    const found = versions.find(({ version, text: was }) => String(version) === back && was !== '')
    if (found) return found
    throw new Refusal(`there is no version ${back.slice(0, 20)} of @${name}; /persona ${name} lists them`)
  }
  if (remove) {
    if (!newest) throw new Refusal(`there is no persona called @${name.slice(0, 40)} here`)
    return { ...newest, text: '', tools: null }
  }
  if (model !== undefined && !model.startsWith('@'))
    throw new Misuse('write its model before the text: persona NAME @MODEL TEXT')
  const asked = model === undefined ? newest?.model : modelNamed(model, models)
  const said = words === undefined ? newest?.text : newText(words)
  if (asked === undefined || said === undefined)
    throw new Misuse('a persona needs a model and a text: persona NAME @MODEL TEXT')
  return { model: asked, text: said, tools: tools.length === 0 ? (newest?.tools ?? null) : patterns(tools) }
}

const same = (one: Content, other: Content): boolean =>
  one.text === other.text &&
  one.model === other.model &&
  JSON.stringify(one.tools) === JSON.stringify(other.tools)

function newText(words: string): string {
  const cleaned = cleanText(words).trim()
  if (cleaned === '') throw new Refusal('a persona needs a text; --remove ends it')
  if (cleaned.length > MAX_CHARS)
    throw new Refusal(`the text of a persona has at most ${MAX_CHARS} characters`)
  return cleaned
}

/** Returns the patterns of `--tools read,!Grep`; null for all tools. Throws `Refusal`. */
function patterns(given: readonly string[]): readonly string[] | null {
  const words = given.flatMap((value) => value.split(',')).map(cleanLine)
  const wanted = words.filter((word) => word !== '')
  if (wanted.length === 0) throw new Refusal('--tools needs a pattern, such as read or none')
  if (wanted.length > MAX_PATTERNS) throw new Refusal(`a persona has at most ${MAX_PATTERNS} patterns`)
  if (wanted.some((word) => word.length > MAX_PATTERN_CHARACTERS))
    throw new Refusal(`a pattern has at most ${MAX_PATTERN_CHARACTERS} characters`)
  const scope = scopeFromWords(wanted)
  if (scope === 'all') return null
  return scope === 'none' ? [] : scope
}

/** Throws `Refusal` for a name that somebody has, or that looks like one. Names of personas never look so. */
async function checkName(name: string, { room }: RoomContext, { turns, people, stores, clock }: Services) {
  const problem = MODEL_NAME.test(name) ? problemWithName(name) : 'its name is of a-z, 0-9, _, . and -'
  if (problem) throw new Refusal(`a persona cannot be called ${name.slice(0, 40)}: ${problem}`)
  const reserved = whyReserved(name)
  if (reserved) throw new Refusal(reserved)
  const [models, others] = await Promise.all([turns.models(), turns.personas.list(room.name)])
  const taken = [...models, ...others].map((one) => one.name).filter((one) => one !== name)
  const isModel = models.some((one) => one.name === name)
  const isPerson = await stores.chat.people.bySkeleton(skeleton(name), clock.now())
  if (isModel || isPerson || people.guestKey(name) || isLike(name, taken))
    throw new Refusal(`the name ${name} is taken, or looks like one that is; choose another`)
}

async function show(
  context: RoomContext & { readonly args: { readonly name?: string | undefined } } & Shown,
  services: Services,
) {
  const { room, args } = context
  const name = args.name?.replace(/^@/, '')
  const isShown = (one: { readonly name: string }): boolean => name === undefined || one.name === name
  const current = (await services.turns.personas.list(room.name)).filter(isShown)
  const versions = (await services.stores.prompts.personas.versions(room.name)).filter(isShown)
  if (name !== undefined && versions.length === 0)
    throw new Refusal(`there is no persona called @${name.slice(0, 40)} here; /persona lists them`)
  const toJson = (one: StoredPersona) => ({ ...one, at: iso(one.at) })
  const json = { room: room.name, personas: current.map(toJson), versions: versions.map(toJson) }
  const now = current.map((one) => {
    const scope = one.tools ? `, tools: ${one.tools.join(' ') || 'none'}` : ''
    const why = one.paused === undefined ? '' : `  (paused: ${one.paused})`
    return `@${one.name} · @${one.model}${scope}: ${indentLater(one.text)}${why}`
  })
  const old = versions.map(({ version, at, author, name: of, model, text: said }) => {
    const line = said.replaceAll('\n', ' ')
    const head = headOf(line, MAX_SHOWN_CHARS)
    const shown = said === '' ? 'removed' : head === line ? line : `${head}…`
    return `${version}  ${dateText(at, context)}  ${author}  @${of} · @${model}  ${shown}`
  })
  const none = `no persona is here; /persona reviewer @MODEL TEXT makes one`
  const lines = now.length > 0 ? now : [none]
  print(context, json, name === undefined || old.length === 0 ? lines : [...lines, 'versions:', ...old])
}

type Shown = Parameters<typeof print>[0]
