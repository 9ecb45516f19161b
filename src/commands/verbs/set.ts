import {
  isOption,
  OPTIONS,
  valueOf,
  type Option,
  type PersonalOptions,
} from '../../chat/preferences/options.ts'
import type { Preferences } from '../../chat/preferences/preferences.ts'
import type { Typing } from '../../chat/typing/typing.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Person } from '../../chat/people/person.ts'
import { keysOf } from '../../lib/keys-of.ts'
import { closest } from '../../lib/suggest.ts'
import { type Command, defineCommand } from '../command.ts'

const NAMES = keysOf(OPTIONS)

export const setCommand = (
  preferences: Pick<Preferences, 'of' | 'set'>,
  typing: Pick<Typing, 'forget'>,
): Command =>
  defineCommand({
    name: 'set',
    protects: true,
    summary: 'how your sessions look and sound; alone, what is set and what there is',
    room: 'none',
    arguments: [
      { name: 'option', about: `one of ${NAMES.join(', ')}`, optional: true },
      { name: 'value', about: 'one of those that /set lists for it', optional: true },
    ],
    example: 'timestamps full',
    complete: ({ argument, given: [option = ''] }) =>
      argument === 'option' ? NAMES : isOption(option) ? OPTIONS[option].values : [],
    async run({ person, args, out }) {
      const name = args.option?.toLowerCase()
      if (name === undefined) return out.line(await listOf(NAMES, preferences, person))
      if (!isOption(name)) throw new Refusal(`there is no option ${name.slice(0, 40)}; ${meant(name, NAMES)}`)
      if (args.value === undefined) return out.line(await listOf([name], preferences, person))
      const word = args.value.toLowerCase()
      const value = valueOf(name, word) ?? turnedOn(name, word)
      if (value === undefined) {
        const { values } = OPTIONS[name]
        throw new Refusal(
          `${name} cannot be ${word.slice(0, 40)}; ${meant(word, values)}. Nothing was changed`,
        )
      }
      await preferences.set(person, name, value)
      if (name === 'history' && value === 'off') await typing.forget(person)
      out.line(`${name} is ${value}${person.guest ? ' until you leave: guests keep nothing' : ''}`)
    },
  })

/** What is either off or one of several things is on as usual. */
function turnedOn(name: Option, word: string): PersonalOptions[Option] {
  const { values, usual }: { readonly values: readonly string[]; readonly usual: string } = OPTIONS[name]
  return word === 'on' && values.includes('off') ? valueOf(name, usual) : undefined
}

/** `did you mean color?`, or all that it can be. */
function meant(word: string, words: readonly string[]): string {
  const near = closest(word, words)
  return near === undefined
    ? `choose from ${words.join(', ')}`
    : `did you mean ${near}? Choose from ${words.join(', ')}`
}

async function listOf(
  names: readonly Option[],
  preferences: Pick<Preferences, 'of'>,
  person: Person,
): Promise<string> {
  const set = await preferences.of(person)
  return names.map((name) => lineOf(name, set)).join('\n')
}

/** `bell mention (or off, all): when the terminal rings …` */
function lineOf(name: Option, set: PersonalOptions): string {
  const { about, values, usual } = OPTIONS[name]
  const now: string = set[name] ?? usual
  const others = values.filter((value) => value !== now)
  return `${name} ${now} (or ${others.join(', ')}): ${about}`
}
