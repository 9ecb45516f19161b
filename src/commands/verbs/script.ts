import { Refusal } from '../../chat/errors.ts'
import type { Clock } from '../../chat/ports.ts'
import { cleanLine, cleanText } from '../../lib/text/clean-text.ts'
import type { Turns } from '../../turns/turns.ts'
import type { RoomHooks } from '../../prompt/hooks/room-hooks.ts'
import { WrapError, type ScriptStore, type StoredScript } from '../../prompt/ports.ts'
import { announce } from './shared/announce.ts'
import { type Command, type CommandContext, Misuse, defineCommand } from '../command.ts'
import { needManager } from '../runner.ts'

/** Characters of a script: plenty for Lua that people write. */
const MAX_SCRIPT_CHARS = 65_536

const ARGUMENTS = [
  {
    name: 'action',
    about: 'what to do',
    oneOf: ['show', 'set', 'check', 'reset', 'versions', 'log'],
  },
  { name: 'text', about: 'the script, or a version to show', optional: true, takes: 'rest' },
] as const

type Context = CommandContext<'here', typeof ARGUMENTS>

/** Room scripts: what composes the prompts of this room's models. */
export function scriptCommand(
  scripts: ScriptStore,
  turns: Pick<Turns, 'checkScript' | 'names'>,
  clock: Clock,
  hooks: Pick<RoomHooks, 'logOf'>,
): Command {
  const actions = { show, versions, check, set, reset, log }
  return defineCommand({
    name: 'script',
    summary:
      "the room's own Lua: show [VERSION], set, check, reset, versions, or log of its hooks; set and check read standard input",
    room: 'here',
    arguments: ARGUMENTS,
    example: 'show',
    // `reset` needs the same right. It checks the words after it first, and then the right.
    rights: {
      manage: 'set or check its script',
      when: ({ action }) => action === 'set' || action === 'check',
    },
    run: (context) => actions[context.args.action](context),
  })

  async function show({ room, args, out }: Context): Promise<void> {
    const wanted = args.text?.trim()
    const script = wanted ? await versionOf(room.name, wanted) : await scripts.current(room.name)
    out.line(
      cleanText(script?.source || '-- no script is set: the bundled default_wrap composes the prompts here'),
    )
  }

  async function versionOf(room: StoredScript['room'], wanted: string): Promise<StoredScript> {
    const found = (await scripts.versions(room)).find(({ version }) => String(version) === wanted)
    if (found) return found
    throw new Refusal(`${room} has no script version ${wanted.slice(0, 20)}; /script versions lists them`)
  }

  async function versions({ room, out }: Context): Promise<void> {
    const all = await scripts.versions(room.name)
    out.line(all.length === 0 ? 'no script was ever set' : all.map(versionLine).join('\n'))
  }

  async function log({ room, out }: Context): Promise<void> {
    const lines = hooks.logOf(room.name)
    out.line(lines.length === 0 ? 'no hook has logged anything since the server started' : lines.join('\n'))
  }

  async function check(context: Context): Promise<void> {
    await mustCompose(context, await sourceOf(context))
    const models = turns.names().length
    const which = models > 1 ? ` for all ${models} models` : ''
    context.out.line(`the script compiles and composes${which}`)
  }

  async function set(context: Context): Promise<void> {
    const source = await sourceOf(context)
    await mustCompose(context, source)
    await store(context, source, 'set')
  }

  async function reset(context: Context): Promise<void> {
    if (context.args.text !== undefined) throw new Misuse('reset takes nothing more')
    await needManager(context.room, context.person, 'reset its script')
    await store(context, '', 'reset')
  }

  async function mustCompose({ room, person, out }: Context, source: string): Promise<void> {
    try {
      const print = (line: string): void => out.line(cleanText(`| ${line}`))
      await turns.checkScript({ room, person, source, print })
    } catch (error) {
      if (error instanceof WrapError) throw new Refusal(cleanLine(error.message), { cause: error })
      throw error
    }
  }

  async function store(context: Context, source: string, verb: string): Promise<void> {
    const { room, person } = context
    const { version } = await scripts.put({ room: room.name, source, author: person.name, at: clock.now() })
    await announce(context, `${person.name} ${verb} the room's script (version ${version})`)
  }
}

const versionLine = ({ version, author, at, source }: StoredScript): string =>
  `${version}  ${new Date(at).toISOString()}  ${author}  ${source === '' ? 'reset' : `${source.length} characters`}`

async function sourceOf({ args, script }: Context): Promise<string> {
  const source = args.text ?? (await script?.stdin('until-end')) ?? ''
  if (source.trim() === '') throw new Refusal('there is no script: give it on standard input')
  if (source.length > MAX_SCRIPT_CHARS)
    throw new Refusal(`a script has at most ${MAX_SCRIPT_CHARS} characters`)
  if (source.includes('\0')) throw new Refusal('a script is text; this one has a NUL byte in it')
  return source
}
