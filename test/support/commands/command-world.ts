import { join } from 'node:path'
import { guide } from '../../../src/models/guide.ts'
import { MODEL_LIMITS } from '../../../src/models/provider.ts'
import { Approvals } from '../../../src/turns/approvals/approvals.ts'
import { createByteQuota, createRateLimiter } from '../../../src/chat/limits.ts'
import { Talks } from '../../../src/chat/talks.ts'
import { openMcp, type McpConfig } from '../../../src/server/mcp/open.ts'
import { Keeping } from '../../../src/chat/moderation/keeping.ts'
import { assembleModeration } from '../../../src/server/assemble-moderation.ts'
import { Clients } from '../../../src/chat/moderation/clients.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import type { Person, PersonId } from '../../../src/words/person.ts'
import { type ExitStatus, Runner } from '../../../src/commands/runner.ts'
import { Speech } from '../../../src/commands/speech.ts'
import { Preferences } from '../../../src/chat/personal/preferences.ts'
import { InputHistory } from '../../../src/chat/personal/input-history.ts'
import type { InvitePolicy } from '../../../src/commands/verbs/common.ts'
import { paths } from '../../../src/base/paths.ts'
import { createWorkspaces } from '../../../src/sandbox/workspaces.ts'
import { findGuideHelp } from '../../../src/server/guide-place.ts'
import { createCommandGroups } from '../../../src/commands/verbs/index.ts'
import { KEY_HELP } from '../../../src/terminal/input/keys.ts'
import { Routines } from '../../../src/turns/routines/index.ts'
import type { RoutinePolicy } from '../../../src/turns/routines/rights.ts'
import { ToolRuns } from '../../../src/turns/tool-runs.ts'
import type { Tool } from '../../../src/tools/tool.ts'
import { followedIn } from '../followed.ts'
import { invitationsIn, REQUESTERS_ALLOW } from '../chat-parts.ts'
import { recordOutput, sessionIn, type Told } from './caller.ts'
import { createPeopleParts } from '../people.ts'
import { temporaryDir } from '../storage.ts'
import { SPOKEN_LIMITS, talkOver } from '../talk.ts'
import { createTurnWorld, type TurnWorld, type WorldOptions } from '../turn-world.ts'

export interface Ran extends Told {
  readonly status: ExitStatus
}

/** Every command over real rooms, turns and permissions, with no SSH and no terminal; @qwen is the guide. */
export type CommandWorld = Awaited<ReturnType<typeof createCommandWorldWith>>

/** The code of the first admin, which nobody has used. */
export const CLAIM_CODE = 'ABCD-EFGH'

export const createCommandWorld = (...tools: readonly Tool[]): Promise<CommandWorld> =>
  createCommandWorldWith({ tools })

/** With further models, say, or before anybody was admin. */
export async function createCommandWorldWith(options: WorldOptions & { readonly hasNoAdmin?: true }) {
  let approvals: Approvals | undefined
  const turnWorld = await createTurnWorld(
    guide.create({ name: 'qwen', backend: 'guide', model: 'guide' }, MODEL_LIMITS),
    {
      ...options,
      permissions: { request: async (asked) => (await approvals?.request(asked)) ?? 'deny' },
    },
  )
  const { rooms, person, nextId, clock, peers } = turnWorld.chatParts
  approvals = approvalsIn(turnWorld)
  const runs = new ToolRuns(turnWorld.openToolbox, nextId, clock, peers.slots)
  const dir = temporaryDir()
  const invitePolicy: { -readonly [Key in keyof InvitePolicy]: InvitePolicy[Key] } = {
    access: 'invite',
    invites: 'members',
  }
  const { storage, log } = turnWorld.chatParts
  const preferences = await Preferences.load(storage.chat.preferences, log)
  const routinePolicy: { -readonly [Key in keyof RoutinePolicy]: RoutinePolicy[Key] } = {
    enabled: true,
    allow: {},
    isOpen: false,
  }
  const config = { dataDir: dir.path, invitePolicy, routinePolicy, preferences }
  const parts = await runnerIn(turnWorld, approvals, runs, config)
  const { runner, mcp } = parts

  /** Runs a command as `ssh host …` does, with this on its standard input. */
  async function exec(who: Person, line: string, stdin = ''): Promise<Ran> {
    const { told, out } = recordOutput()
    const afterwards: (() => void)[] = []
    const script = { stdin: async () => stdin, afterwards: (work: () => void) => afterwards.push(work) }
    const caller = { person: who, out, signal: new AbortController().signal, script }
    const status = await runner.command(line, caller)
    for (const work of afterwards) work()
    return { status, ...told }
  }
  const { ann } = turnWorld
  const [root, bob] = [await person('root', { admin: !options.hasNoAdmin }), await person('bob')]
  await exec(ann, 'create hall')
  await exec(ann, 'create --private den')
  return {
    turnWorld,
    ...parts,
    approvals,
    runs,
    preferences,
    dataDir: dir.path,
    /** Who may make invite codes; a test may change it. */
    invitePolicy,
    /** Who may make routines; a test may change it. */
    routinePolicy,
    root,
    /** Owns the public room `hall` and the private room `den`. */
    ann,
    bob,
    guest: { id: 'guest:1' as PersonId, name: 'ann-2', admin: false, guest: true } as Person,
    /** Runs a command as it is typed in a room, which is `hall` if none is named. */
    async type(who: Person, line: string, room = 'hall'): Promise<Ran> {
      const { caller, told } = sessionIn(await rooms.get(room, who), who)
      return { status: await runner.command(line, caller), ...told }
    },
    exec,
    async texts(name: string, limit = 1): Promise<readonly string[]> {
      const room = await rooms.anyRoom(name as RoomName)
      return room ? (await room.history({ limit })).map((entry) => entry.text) : []
    },
    async [Symbol.asyncDispose]() {
      await mcp[Symbol.asyncDispose]()
      await runs[Symbol.asyncDispose]()
      await turnWorld[Symbol.asyncDispose]()
      dir[Symbol.dispose]()
    },
  }
}

/** A command that did what it was asked for, and printed these lines. */
export const done = (...out: readonly string[]): Ran => ({ status: 0, out: [...out], err: [], moves: [] })

export const refused = (sentence: string): Ran => ({ status: 1, out: [], err: [sentence], moves: [] })

/** A command whose words did not fit it. */
export const misused = (problem: string, form: string): Ran => ({
  status: 2,
  out: [],
  err: [problem, `usage: ${form}`],
  moves: [],
})

/** What a command with --json printed, where that is one line. */
export const jsonOf = ({ out }: Ran): unknown => JSON.parse(out.join('\n'))

function approvalsIn({ chatParts: { rooms, storage, peers, clock, log } }: TurnWorld): Approvals {
  const limits = { approvals_per_room: 8, approvals_per_person: 4 }
  const room = (name: RoomName) => rooms.anyRoom(name)
  return new Approvals({
    ...{ room, grants: storage.tools.grants, questions: peers.questions, limits, clock, log },
    rules: () => REQUESTERS_ALLOW,
  })
}

/** The config as far as MCP servers need it; it names none. */
export const mcpConfigIn = (dataDir: string): McpConfig => ({
  mcp: [],
  dataDir,
  tools: { dirs: [], modules: [], disabled: [], allow: REQUESTERS_ALLOW, timeout_s: 60, web: undefined },
  sandbox: {
    mode: 'bubblewrap',
    workspaces: new Map(),
    rooms_dir: join(dataDir, 'rooms'),
    disk_mb: 64,
    memory_mb: 512,
  },
})

async function runnerIn(
  { chatParts, turns, summaries, hooks, memories }: TurnWorld,
  approvals: Approvals,
  runs: ToolRuns,
  given: {
    dataDir: string
    invitePolicy: InvitePolicy
    routinePolicy: RoutinePolicy
    preferences: Preferences
  },
) {
  const { dataDir, invitePolicy, routinePolicy, preferences } = given
  const { rooms, storage, peers, clock, log, sanctions } = chatParts
  const talk = await talkOver(chatParts, {
    answering: (room, entry) => turns.running(room).find(({ message }) => message === entry)?.model,
    forget: summaries.forget,
  })
  const speech = new Speech(turns, SPOKEN_LIMITS, talk.away, talk.findPerson, approvals)
  const { people, invites, keys, tokens } = createPeopleParts(
    chatParts,
    () => ({ modelNames: turns.names() }),
    CLAIM_CODE,
  )
  const clients = new Clients(peers)
  const enforcement = { sanctions, clients }
  const moderated = { rooms, people, enforcement, peers }
  const config = { dataDir, roomsDir: join(dataDir, 'rooms'), admins: () => [] }
  const moderation = assembleModeration(moderated, { turns, runs, summaries }, chatParts, config)
  const keeping = new Keeping({
    ...{ store: storage.chat.retention, rooms: storage.chat.rooms, slots: peers.slots },
    ...{ removeFiles: async () => {}, tidy: async () => {}, limits: { keep_days: 0, keep_turns_days: 0 } },
    ...{ clock, nextId: chatParts.nextId, log },
  })
  const policy = (): InvitePolicy => invitePolicy
  const listeners = new Set<() => void>()
  const routines = new Routines({
    ...{ store: storage.models.routines, people: storage.chat.people, rooms },
    models: () => turns.names(),
    policy: () => routinePolicy,
    limits: { ...SPOKEN_LIMITS, routines_per_person: 20, routines_per_room: 50 },
    clock,
    nextId: chatParts.nextId,
    endGrants: (id) => approvals.endRoutine(id),
    changed: () => listeners.forEach((listener) => listener()),
  })
  /** What the status line reads, as a server's engine of routines has it. */
  const shownRoutines = {
    routines,
    onChange(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const history = new InputHistory(storage.talk.typed, clock, log)
  const mcpConfig = mcpConfigIn(dataDir)
  const mcp = await openMcp(() => mcpConfig, rooms, chatParts, [])
  const following = followedIn({ rooms, storage, clock, log }, talk)
  const bytes = createByteQuota({ bytes_per_person_day: 0 }, clock)
  const roomsFiles = createWorkspaces({
    ...{ root: join(dataDir, 'rooms'), searchEntry: paths.fileSearch, mode: 'none', log },
  })
  const talks = new Talks({ rooms, store: storage.chat.rooms, limits: { talks_per_person: 2 }, onMade() {} })
  const groups = createCommandGroups({
    bytes,
    talks,
    notifyOrigins: () => ['https://ntfy.sh'],
    lastSeen: following.lastSeen,
    followed: following.followed,
    ...{ rooms, people, preferences, invitations: invitationsIn(chatParts) },
    comingIn: { invites, keys, tokens, clients, policy },
    ...{
      speech,
      talk,
      history,
      turns,
      runs,
      summaries,
      routines,
      approvals,
      hooks,
      mcp,
      moderation,
      keeping,
      memories,
    },
    filesOf: (room) => roomsFiles.of(room),
    keys: KEY_HELP,
    findHelp: findGuideHelp,
    clock,
    stores: storage,
  })
  const commands = groups.flatMap((group) => group.commands)
  const pace = createRateLimiter({
    limits: { rate_burst: 1_000_000, rate_per_s: 1_000_000 },
    clock,
    wait: async () => {},
  })
  const runner = new Runner({
    ...{ commands, speech, rooms, pace, bytes, sanctions, log },
    upToDate: () => undefined,
  })
  return {
    ...{ talk, history, groups, commands, runner, moderation, mcp, clients, following },
    ...{ shownRoutines, roomsFiles },
  }
}
