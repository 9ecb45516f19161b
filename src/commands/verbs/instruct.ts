import { Refusal } from '../../words/errors.ts'
import { cleanText } from '../../base/text/clean-text.ts'
import { indentLater } from '../../words/entry-text.ts'
import { headOf } from '../../base/text/characters.ts'
import { takeWord } from '../../base/text/words.ts'
import { ALL_MODELS, type StoredInstruction } from '../../wrap/index.ts'
import { flag, JSON_FLAG, Misuse, text, type Caller } from '../command.ts'
import { needManager } from '../runner.ts'
import { modelNamed } from './answer.ts'
import { announce, dateText, iso, print, verb } from './common.ts'

/** Limit of an instruction, because a model reads all of it in each request. */
const MAX_CHARS = 2_000

/** Limit of a version's characters in the list. */
const MAX_SHOWN_CHARS = 60

/** Completes "only the owner of ROOM, an op or an admin can …". */
const CHANGE = 'change its instructions'

export const instruct = verb({
  name: 'instruct',
  summary:
    'set an instruction for all models of this room, or after @MODEL for one of them (also from standard input); off removes it; without TEXT, show all versions',
  room: 'here',
  flags: [JSON_FLAG, flag('back', 'this version of it holds again', { value: 'N' })],
  arguments: [
    text('text', 'a model (@qwen), if it is for one only, then the instruction or off', { optional: true }),
  ],
  example: '@qwen answer in French',
  rights: { manage: CHANGE, when: (args) => modelAndWords(args.text).words !== '' },
  complete: { text: (_, { turns }) => ['off', ...turns.names().map((name) => `@${name}`)] },
  async run(context, { stores, turns, clock }) {
    const { room, person, args, flags } = context
    const { instructions } = stores.prompts
    const all = await instructions.versions(room.name)
    const { model: named, words: typed } = modelAndWords(args.text)
    // An instruction for a removed model can still be ended.
    const names = [...turns.names(), ...all.map((one) => one.model)]
    const model = named === undefined ? ALL_MODELS : modelNamed(named, names)
    const own = all.filter((one) => one.model === model)
    const isShown = flags.json || flags.back !== undefined
    const words = isShown ? typed : await withPipedText(typed, context)
    if (words === '' && flags.back === undefined) {
      const shown = named === undefined ? all : own
      return print(context, shownJson(room.name, shown), shownLines(shown, context))
    }
    if (flags.json) throw new Misuse('--json shows instructions, and sets none')
    if (flags.back !== undefined || typed === '') await needManager(room, person, CHANGE)
    const wanted = flags.back === undefined ? newText(words) : oldText(own, flags.back, words)
    if (wanted === (own[0]?.text ?? '')) throw new Refusal(`that holds already for ${targetName(model)}`)
    const change = { room: room.name, model, text: wanted, author: person.name, at: clock.now() }
    const { version } = await instructions.put(change)
    // Without the text: all models read the room's notices, and an instruction may be for one model.
    const done = wanted === '' ? 'ended' : 'set'
    const told = `${person.name} ${done} the instruction for ${targetName(model)} (version ${version})`
    await announce(context, told)
  },
})

/** `@qwen be brief` */
function modelAndWords(given = ''): { readonly model?: string; readonly words: string } {
  const { word, rest } = takeWord(given)
  return word.startsWith('@') ? { model: word, words: rest.trim() } : { words: given.trim() }
}

/** Resolves to the words, or to a script's piped text. Waits for the end of the pipe only for `-`. */
async function withPipedText(words: string, { script }: Caller): Promise<string> {
  if (!script || (words !== '' && words !== '-')) return words
  const piped = (await script.stdin(words === '-' ? 'until-end' : 'if-ready')).trim()
  if (words === '-' && piped === '')
    throw new Refusal('standard input has no instruction; nothing was changed')
  return piped
}

/** Returns the new instruction, or '' for `off`. Throws `Misuse` and `Refusal`. */
function newText(words: string): string {
  if (/^--back\b/.test(words)) throw new Misuse('--back N stands before @MODEL')
  if (words === 'off') return ''
  const cleaned = cleanText(words).trim()
  if (cleaned === '') throw new Refusal('an instruction needs text; off ends it')
  if (cleaned.length > MAX_CHARS) throw new Refusal(`an instruction has at most ${MAX_CHARS} characters`)
  return cleaned
}

/** Returns the text of an older version. Throws `Misuse` and `Refusal`. */
function oldText(own: readonly StoredInstruction[], wanted: string, words: string): string {
  if (words !== '') throw new Misuse('--back takes a version, and no text')
  const found = own.find(({ version }) => String(version) === wanted)
  if (found) return found.text
  throw new Refusal(`there is no version ${wanted.slice(0, 20)} of it; /instruct lists them`)
}

const targetName = (model: string): string => (model === ALL_MODELS ? 'all models' : `@${model}`)

/** Returns the newest instruction for each model, unless it was ended. */
const currentOf = (all: readonly StoredInstruction[]): readonly StoredInstruction[] =>
  all.filter((one) => one.text !== '' && all.find(({ model }) => model === one.model) === one)

function shownLines(all: readonly StoredInstruction[], caller: Caller): readonly string[] {
  const current = currentOf(all).map(({ model, text }) => `for ${targetName(model)}: ${indentLater(text)}`)
  const versions = all.map(({ model, version, author, at, text }) => {
    const line = text.replaceAll('\n', ' ')
    const head = headOf(line, MAX_SHOWN_CHARS)
    const shown = text === '' ? 'off' : head === line ? line : `${head}…`
    return `${version}  ${dateText(at, caller)}  ${author}  ${targetName(model)}  ${shown}`
  })
  const now = current.length > 0 ? current : ['no instruction is set']
  return versions.length > 0 ? [...now, 'versions:', ...versions] : now
}

function shownJson(room: string, all: readonly StoredInstruction[]) {
  const toJson = ({ model, version, author, at, text }: StoredInstruction) => ({
    model: model === ALL_MODELS ? null : model,
    version,
    author,
    at: iso(at),
    text,
  })
  return { room, instructions: currentOf(all).map(toJson), versions: all.map(toJson) }
}
