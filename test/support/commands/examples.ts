import { guide } from '../../../src/models/guide.ts'
import { MODEL_LIMITS } from '../../../src/models/provider.ts'
import type { CallerKind, Command } from '../../../src/commands/command.ts'
import type { RoomName, TurnId } from '../../../src/words/entry.ts'
import type { Person } from '../../../src/words/person.ts'
import type { FileAuthor } from '../../../src/tools/kept-files.ts'
import { calculator } from '../../../src/tools/builtin/calculator/calculator.ts'
import { screenOf } from '../chat-parts.ts'
import { sampleConfig } from '../model-request.ts'
import { tool } from '../turn-world.ts'
import { type CommandWorld, createCommandWorldWith, type Ran } from './command-world.ts'
import { raiseQuestion, touch } from './raise-question.ts'

/** An example of docs/commands.md: the same words for a session and for a script. */
export function exampleOf({ name, room, example }: Command, kind: CallerKind): string {
  const words = [name, ...(kind === 'script' && room !== 'none' ? ['den'] : []), example]
  const line = words.filter((word) => word !== '').join(' ')
  return kind === 'session' ? `/${line}` : `ssh HOST ${line.split(' ').map(shellWord).join(' ')}`
}

const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`)

/**
 * Runs the example of a command in the private room `den` of ann, after everything has happened that the
 * example is about.
 */
export async function runExample(command: Command, kind: CallerKind): Promise<Ran> {
  const { name } = command
  const settings = sampleConfig({ name: 'guide', backend: 'guide' })
  const adapter = guide.create({ name: 'guide', backend: 'guide', model: 'guide' }, MODEL_LIMITS)
  await using world = await createCommandWorldWith({
    tools: [calculator, tool('Grep'), touch],
    more: [{ settings, adapter }],
    ...(name === 'claim' ? { hasNoAdmin: true } : {}),
  })
  await ANY_PAST(world)
  await PASTS[name]?.(world)
  const line = exampleOf(command, kind)
  const isForAdmins = ADMIN_ONLY.has(name)
  const who = isForAdmins ? world.root : name === 'join' ? world.bob : world.ann
  const isOutside = isForAdmins || name === 'join'
  if (kind === 'session') return await world.type(who, line.slice(1), isOutside ? 'hall' : 'den')
  return await world.exec(who, line.replace(/^ssh HOST /, '').replaceAll("'", ''), 'x')
}

/** Runs the example of each command as docs/commands.md has it: for a script, if it can be for one. */
export async function runExamples(commands: readonly Command[]): Promise<ReadonlyMap<Command, Ran>> {
  const answers = new Map<Command, Ran>()
  for (const command of commands)
    answers.set(command, await runExample(command, command.fromScript === undefined ? 'script' : 'session'))
  return answers
}

/** Their examples are for admins alone. */
const ADMIN_ONLY: ReadonlySet<string> = new Set(['mcp', 'purge'])

type Past = (world: CommandWorld) => Promise<void>

async function mustRun({ exec, ann }: CommandWorld, line: string, who: Person = ann): Promise<void> {
  const { status, err } = await exec(who, line)
  if (status !== 0) throw new Error(`${who.name}: ${line}: ${err.join(' ')}`)
}

const lines =
  (...all: readonly string[]): Past =>
  async (world) => {
    for (const line of all) await mustRun(world, line)
  }

const ANY_PAST = lines('say den hello', 'say den the build is green')

async function denOf({ turnWorld }: CommandWorld) {
  const den = await turnWorld.chatParts.rooms.anyRoom('den' as RoomName)
  if (!den) throw new Error('there is no den')
  return den
}

/** Makes bob a member of den, and has him say these lines there. */
const bobJoins =
  (...said: readonly string[]): Past =>
  async (world) => {
    await mustRun(world, 'invite den bob')
    await mustRun(world, 'join den', world.bob)
    for (const line of said) await mustRun(world, `say den ${line}`, world.bob)
  }

const annAndBobEnter: Past = async (world) => {
  await bobJoins()(world)
  const den = await denOf(world)
  for (const person of [world.ann, world.bob]) await den.enter(screenOf(person))
}

const threeQuestions: Past = async (world) => {
  const den = await denOf(world)
  for (const file of ['a.txt', 'b.txt', 'c.txt']) await raiseQuestion(world, world.ann, den, file)
}

/** Has @guide call a tool that asks, so that its turn waits. */
const guideAsks: Past = async (world) => {
  const den = await denOf(world)
  const asked = new Promise<void>((resolve) => {
    den.listen({ deliver: ({ kind }) => void (kind === 'approval' && resolve()) })
  })
  await world.type(world.ann, 'say @guide call touch {"q":"a.txt"}', 'den')
  await asked
}

/** Writes the file notes.txt of den, as a turn of @guide for ann. */
const guideWrites: Past = async (world) => {
  const author: FileAuthor = { name: 'guide', turn: { id: 'turn' as TurnId, requester: world.ann.id } }
  await world.roomsFiles.of('den', author).changeText('notes.txt', () => 'tea at five\n')
}

const bobWrites: Past = async (world) => {
  await world.talk.openSession({ person: world.ann, print() {}, message() {}, bell() {} })
  await mustRun(world, 'msg ann where is it?', world.bob)
}

/** What has happened before the examples that are about something. */
const PASTS: Readonly<Record<string, Past>> = {
  allow: threeQuestions,
  bans: lines('mute den bob 10m'),
  deny: threeQuestions,
  deop: async (world) => {
    await bobJoins()(world)
    await mustRun(world, 'op den bob')
  },
  exits: lines('portal den north hall'),
  files: guideWrites,
  forget: lines('remember den releases are on Fridays'),
  go: lines('portal den north hall'),
  join: lines('invite den bob'),
  kick: annAndBobEnter,
  memory: lines('remember den releases are on Fridays'),
  mentions: bobJoins('@ann look', '@ann again'),
  op: bobJoins(),
  owner: bobJoins(),
  perms: async (world) => {
    await raiseQuestion(world, world.ann, await denOf(world), 'a.txt')
    await mustRun(world, 'allow den room')
  },
  purge: bobJoins('hello'),
  reply: bobWrites,
  retry: lines('ask den @qwen tools'),
  routines: lines('every den 1h tea', 'every den 2h tea', 'every den 3h tea'),
  stop: guideAsks,
  summary: lines('summary den set the build was red, and is green'),
  turn: lines('ask den @guide tools'),
  unban: lines('ban --room den bob'),
  undo: guideWrites,
  uninvite: bobJoins(),
  unmute: lines('mute den bob'),
  unpin: lines('pin den'),
  usage: lines('ask den @guide tools'),
  who: annAndBobEnter,
}
