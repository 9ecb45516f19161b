import { Refusal } from '../../words/errors.ts'
import { PERSON_NAME_RULE } from '../../words/names.ts'
import type { Person } from '../../words/person.ts'
import { isOption, OPTIONS, valueOf, type Option, type PersonalOptions } from '../../chat/personal/index.ts'
import { keysOf } from '../../base/basics.ts'
import { closest } from '../../base/suggest.ts'
import { zoneNames } from '../../base/zone.ts'
import { arg, JSON_FLAG, text } from '../command.ts'
import { print, verb, type Services } from './common.ts'

export const whoami = verb({
  name: 'whoami',
  summary: 'show your name and your rights on this server',
  flags: [JSON_FLAG],
  async run(context, { people }) {
    const { person, out } = context
    const { name, admin, guest } = await people.current(person)
    const role = admin ? 'admin' : guest ? 'guest' : 'member'
    print(context, { name, role }, `${name} (${role})`)
    if (person.why !== undefined) out.warn(`you are a guest: ${person.why}`)
  },
})

export const rename = verb({
  name: 'rename',
  aliases: ['nick'],
  summary: 'take another name; you keep your rights, and nobody else can take the old name for 30 days',
  arguments: [arg('name', PERSON_NAME_RULE)],
  example: 'bobby',
  async run({ person, args, out }, { people, rooms }) {
    const former = person.name
    await people.rename(person, args.name)
    const renamed = { ...person, name: args.name }
    for (const { name } of await rooms.list(person))
      await (await rooms.get(name, person)).renamed(renamed, former)
    out.line(`you are ${args.name} now; nobody else can take ${former} for 30 days`)
  },
})

const NAMES = keysOf(OPTIONS)

export const set = verb({
  name: 'set',
  allowedOverQuota: true,
  summary: 'set how your sessions look and sound; without OPTION, list all options and their values',
  arguments: [
    arg('option', `one of ${NAMES.join(', ')}`, { optional: true }),
    text('value', 'a value that /set lists for the option', { optional: true }),
  ],
  example: 'timestamps full',
  complete: {
    option: () => NAMES,
    value: ({ given: [option = ''] }) => (isOption(option) ? OPTIONS[option].values : []),
  },
  async run({ person, args, out }, services) {
    const name = args.option?.toLowerCase()
    if (name === undefined) return out.line(await listOf(NAMES, services, person))
    if (!isOption(name))
      throw new Refusal(`there is no option ${name.slice(0, 40)}; ${suggestion(name, NAMES)}`)
    const given = args.value?.trim()
    if (given === undefined) return out.line(await listOf([name], services, person))
    const word = name === 'notify' && given.includes(':') ? given : given.toLowerCase()
    const value = valueOf(name, word) ?? turnedOn(name, word)
    if (value === undefined) {
      const advice = adviceFor(name, word)
      throw new Refusal(`${name} cannot be ${word.slice(0, 40)}; ${advice} Nothing was changed`)
    }
    if (name === 'notify' && value !== 'off') needNotifiable(person, value, services.notifyOrigins())
    await services.preferences.set(person, name, value)
    if (name === 'history' && value === 'off') await services.history.forget(person)
    const typed = name === 'timezone' && value.toLowerCase() !== word ? `${given}, which is ` : ''
    out.line(`${name} is ${typed}${value}${person.guest ? ' until you leave: guests keep nothing' : ''}`)
  },
})

function adviceFor(name: Option, word: string): string {
  if (name === 'timezone') return zoneAdvice(word)
  if (name === 'words') return 'give off, or at most 20 words with commas between, such as postgres, invoice.'
  if (name === 'notify') return 'give off, or an address such as https://ntfy.sh/TOPIC.'
  return `${suggestion(word, OPTIONS[name].values)}.`
}

function needNotifiable({ guest }: Person, address: string, origins: readonly string[]): void {
  if (guest) throw new Refusal('guests get no notices; log in with a name of your own')
  if (origins.length === 0)
    throw new Refusal('this server sends no notices: its operator can name addresses in [notify] allow')
  if (!origins.includes(new URL(address).origin))
    throw new Refusal(`notices of this server go to ${origins.join(', ')} only; nothing was changed`)
}

/** Returns the default value for `on`, if the option has `off` and other values. */
function turnedOn(name: Option, word: string): PersonalOptions[Option] {
  const { values, usual }: { readonly values: readonly string[]; readonly usual: string } = OPTIONS[name]
  return word === 'on' && usual !== 'off' && values.includes('off') ? valueOf(name, usual) : undefined
}

/** Suggests a zone for a city alone, or for a misspelt name. */
function zoneAdvice(word: string): string {
  const names = zoneNames()
  const near = names.find((name) => name.toLowerCase().endsWith(`/${word}`)) ?? closest(word, names)
  return near === undefined ? 'give a name such as Europe/Berlin.' : `did you mean ${near}?`
}

/** Returns `did you mean color? Choose from …`. */
function suggestion(word: string, words: readonly string[]): string {
  const near = closest(word, words)
  const all = words.join(', ')
  return near === undefined ? `choose from ${all}` : `did you mean ${near}? Choose from ${all}`
}

async function listOf(names: readonly Option[], { preferences }: Services, person: Person): Promise<string> {
  const set = await preferences.of(person)
  return names.map((name) => lineOf(name, set)).join('\n')
}

/** Returns `bell mention (or off, all): when the terminal rings …`. */
function lineOf(name: Option, set: PersonalOptions): string {
  const { about, values, usual, other }: (typeof OPTIONS)[Option] & { readonly other?: string } =
    OPTIONS[name]
  const now: string = set[name] ?? usual
  const others = other ?? values.filter((value) => value !== now).join(', ')
  return `${name} ${now} (or ${others}): ${about}`
}

export const claim = verb({
  name: 'claim',
  summary: 'become the first admin with the claim code, which the server prints when it starts',
  arguments: [arg('code', 'the code that the server printed when it started')],
  example: 'ABCD-EFGH',
  rights: { note: 'It needs the claim code, and works only while there is no admin.' },
  async run({ person, args, out }, { people }) {
    await people.claim(person, args.code)
    out.line(`${person.name} is admin now`)
  },
})

export const clear = verb({
  name: 'clear',
  showsWords: true,
  allowedWhenCutOff: true,
  aliases: ['cls'],
  summary: 'clear the screen, as Ctrl-L does; /history shows what was said',
  fromScript: 'It does nothing, because a script has no screen.',
  run: async ({ session }) => session?.clear(),
})

export const quit = verb({
  name: 'quit',
  allowedOverQuota: true,
  allowedWhenCutOff: true,
  aliases: ['q', 'exit', 'bye', 'logout', 'disconnect'],
  summary: 'leave the server',
  fromScript: 'It does nothing, because a script ends by itself.',
  run: async ({ session }) => session?.quit(),
})
