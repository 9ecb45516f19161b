import { Refusal } from '../../words/errors.ts'
import { cleanText } from '../../base/text/clean-text.ts'
import type { StoredScript } from '../../wrap/index.ts'
import { arg, Misuse, text, type Caller, type CommandContext } from '../command.ts'
import { needManager } from '../runner.ts'
import { announce, dateText, findVersion, refuseWrap, type Services, verb } from './common.ts'

/** Limit of a script's characters: plenty for hand-written Lua. */
const MAX_SCRIPT_CHARS = 65_536

const ARGUMENTS = [
  arg('action', 'what to do', { oneOf: ['show', 'set', 'check', 'reset', 'versions', 'log'], usual: 'show' }),
  text('text', 'the script, or a version to show', { optional: true }),
] as const

type Context = CommandContext<'here', typeof ARGUMENTS>

export const script = verb({
  name: 'script',
  summary:
    "the room's own Lua: show [VERSION], set, check, reset, versions, or log of its hooks; paste the script behind set or check, or pipe it in from a shell",
  room: 'here',
  arguments: ARGUMENTS,
  example: 'show',
  // `reset` needs the same right. It checks the words after it first, and then the right.
  rights: {
    manage: 'set or check its script',
    when: ({ action }) => action === 'set' || action === 'check',
  },
  run: (context, services) => ACTIONS[context.args.action](services, context),
})

const ACTIONS = {
  async show({ stores }: Services, { room, args, out }: Context): Promise<void> {
    const { scripts } = stores.prompts
    const wanted = args.text?.trim()
    const script = wanted
      ? findVersion(await scripts.versions(room.name), wanted, { room: room.name, what: 'script' })
      : await scripts.current(room.name)
    out.line(
      cleanText(script?.source || '-- no script is set: the bundled default_wrap composes the prompts here'),
    )
  },

  async versions({ stores }: Services, context: Context): Promise<void> {
    const { room, out } = context
    const all = await stores.prompts.scripts.versions(room.name)
    out.line(all.map((stored) => versionLine(stored, context)).join('\n') || 'no script was ever set')
  },

  async log({ hooks }: Services, { room, out }: Context): Promise<void> {
    const lines = hooks.logOf(room.name)
    out.line(lines.length === 0 ? 'no hook has logged anything since the server started' : lines.join('\n'))
  },

  async check(services: Services, context: Context): Promise<void> {
    await assertComposes(services, context, await sourceOf(context))
    const models = services.turns.names().length
    const which = models > 1 ? ` for all ${models} models` : ''
    context.out.line(`the script compiles and composes${which}`)
  },

  async set(services: Services, context: Context): Promise<void> {
    const source = await sourceOf(context)
    await assertComposes(services, context, source)
    await store(services, context, source, 'set')
  },

  async reset(services: Services, context: Context): Promise<void> {
    if (context.args.text !== undefined) throw new Misuse('reset takes nothing more')
    await needManager(context.room, context.person, 'reset its script')
    await store(services, context, '', 'reset')
  },
}

async function sourceOf({ args, script, room }: Context): Promise<string> {
  const source = args.text ?? (await script?.stdin('until-end')) ?? ''
  if (source.trim() === '')
    throw new Refusal(
      script
        ? 'there is no script: give it on standard input'
        : `paste the script behind /script set, or from a shell: ssh … script ${room.name} set < file.lua`,
    )
  if (source.length > MAX_SCRIPT_CHARS)
    throw new Refusal(`a script has at most ${MAX_SCRIPT_CHARS} characters`)
  if (source.includes('\0')) throw new Refusal('a script is text; this one has a NUL byte in it')
  return source
}

async function assertComposes(
  { turns }: Services,
  { room, person, out }: Context,
  source: string,
): Promise<void> {
  const print = (line: string): void => out.line(cleanText(`| ${line}`))
  await turns.checkScript({ room, person, source, print }).catch(refuseWrap)
}

async function store(
  { stores, clock }: Services,
  context: Context,
  source: string,
  verb: string,
): Promise<void> {
  const { room, person } = context
  const set = { author: person.name, person: person.guest ? null : person.id }
  const script = { room: room.name, source, ...set, at: clock.now() }
  const { version } = await stores.prompts.scripts.put(script)
  await announce(context, `${person.name} ${verb} the room's script (version ${version})`)
}

const versionLine = ({ version, author, at, source }: StoredScript, caller: Caller): string =>
  `${version}  ${dateText(at, caller)}  ${author}  ${source === '' ? 'reset' : `${source.length} characters`}`
