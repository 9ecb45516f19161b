import { Refusal, UsageError } from '../../chat/errors.ts'
import type { Clock } from '../../chat/ports.ts'
import { cleanLine, cleanText } from '../../lib/clean-text.ts'
import type { Turns } from '../../turns/turns.ts'
import { WrapError, type ScriptStore, type StoredScript } from '../../prompt/ports.ts'
import type { Call, Command } from '../command.ts'
import { needManager } from '../rights.ts'

/** Characters of a script: plenty for Lua that people write. */
const LONGEST = 65_536

const USAGE = 'script ROOM show [VERSION], set, check, reset or versions'

/** Room scripts: what composes the prompts of this room's models. */
export function scriptCommand(
  scripts: ScriptStore,
  turns: Pick<Turns, 'checkScript'>,
  clock: Clock,
): Command {
  return {
    name: 'script',
    summary:
      "the room's own Lua: show [VERSION], set, check, reset or versions; set and check read it from standard input",
    room: 'here',
    parameters: [{ name: 'action' }, { name: 'text', optional: true, takes: 'rest' }],
    run: (call) => action(call)(call),
  }

  function action({ args }: Call): (call: Call) => Promise<void> {
    const actions = { show, versions, check, set, reset }
    const name = args['action']!
    if (Object.hasOwn(actions, name)) return actions[name as keyof typeof actions]
    throw new UsageError(
      `script: "${name.slice(0, 40)}" is not one of show, set, check, reset, versions`,
      USAGE,
    )
  }

  async function show({ room, args, out }: Call): Promise<void> {
    const wanted = args['text']?.trim()
    const script = wanted ? await versionOf(room!.name, wanted) : await scripts.current(room!.name)
    out.line(
      cleanText(script?.source || '-- no script is set: the bundled default_wrap composes the prompts here'),
    )
  }

  async function versionOf(room: StoredScript['room'], wanted: string): Promise<StoredScript> {
    const found = (await scripts.versions(room)).find(({ version }) => String(version) === wanted)
    if (found) return found
    throw new Refusal(`${room} has no script version ${wanted.slice(0, 20)}; versions lists them`)
  }

  async function versions({ room, out }: Call): Promise<void> {
    const all = await scripts.versions(room!.name)
    out.line(all.length === 0 ? 'no script was ever set' : all.map(versionLine).join('\n'))
  }

  async function check(call: Call): Promise<void> {
    await mustCompose(call, await sourceOf(call))
    call.out.line('the script compiles and composes')
  }

  async function set(call: Call): Promise<void> {
    await needManager(call.room!, call.person, 'change its script')
    const source = await sourceOf(call)
    await mustCompose(call, source)
    await store(call, source, 'set')
  }

  async function reset(call: Call): Promise<void> {
    if (call.args['text'] !== undefined) throw new UsageError('script: reset takes nothing more', USAGE)
    await needManager(call.room!, call.person, 'reset its script')
    await store(call, '', 'reset')
  }

  async function mustCompose({ room, person }: Call, source: string): Promise<void> {
    try {
      await turns.checkScript({ room: room!, person, source })
    } catch (error) {
      if (error instanceof WrapError) throw new Refusal(cleanLine(error.message), { cause: error })
      throw error
    }
  }

  async function store({ room, person, out, session }: Call, source: string, verb: string): Promise<void> {
    const { version } = await scripts.put({ room: room!.name, source, author: person.name, at: clock.now() })
    const text = `${person.name} ${verb} the room's script (version ${version})`
    await room!.record({ kind: 'notice', level: 'info', author: person.name, text })
    if (!session) out.line(text)
  }
}

const versionLine = ({ version, author, at, source }: StoredScript): string =>
  `${version}  ${new Date(at).toISOString()}  ${author}  ${source === '' ? 'reset' : `${source.length} characters`}`

async function sourceOf({ args, stdin }: Call): Promise<string> {
  const source = args['text'] ?? (await stdin?.('until-end')) ?? ''
  if (source.trim() === '') throw new Refusal('there is no script: give it on standard input')
  if (source.length > LONGEST) throw new Refusal(`a script has at most ${LONGEST} characters`)
  if (source.includes('\0')) throw new Refusal('a script is text; this one has a NUL byte in it')
  return source
}
