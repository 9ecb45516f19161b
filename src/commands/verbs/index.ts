// One file for each command, and this list of them. A command's summary says what it does, in place of a comment. None of
// them knows how its line was parsed, how its errors are shown, or what carries its session.
import type { Chat } from '../../chat/chat.ts'
import type { People } from '../../chat/people.ts'
import type { Clock, EntryLog, PeopleStore, RoomStore } from '../../chat/ports.ts'
import type { Approvals } from '../../approvals/approvals.ts'
import type { ChargeStore } from '../../turns/bill/ports.ts'
import type { TurnStore } from '../../turns/ports.ts'
import type { GrantStore } from '../../approvals/ports.ts'
import type { ToolRuns } from '../../toolbox/tool-runs.ts'
import type { Turns } from '../../turns/turns.ts'
import type { RoomHooks } from '../../prompt/hooks/room-hooks.ts'
import type { HistoryStore, ScriptStore, SummaryStore } from '../../prompt/ports.ts'
import type { Summaries } from '../../turns/summaries/summaries.ts'
import type { Command } from '../define.ts'
import type { Speech } from '../speech.ts'
import { allowCommand, denyCommand } from './allow.ts'
import { askCommand } from './ask.ts'
import { checkpointCommand } from './checkpoint.ts'
import { claimCommand } from './claim.ts'
import { createRoomCommand } from './create.ts'
import { exitsCommand } from './exits.ts'
import { forkCommand } from './fork.ts'
import { goCommand } from './go.ts'
import { helpCommand } from './help.ts'
import { historyCommand } from './history.ts'
import { inviteCommand } from './invite.ts'
import { joinCommand } from './join.ts'
import { kvCommand } from './kv.ts'
import { leaveCommand } from './leave.ts'
import { modelsCommand } from './models.ts'
import { navCommand } from './nav.ts'
import { permsCommand } from './perms.ts'
import { portalCommand } from './portal.ts'
import { quitCommand } from './quit.ts'
import { roomsCommand } from './rooms.ts'
import { meCommand, sayCommand } from './say.ts'
import { runCommand } from './run.ts'
import { scriptCommand } from './script.ts'
import { createCallerPermissions } from './shared/allow-flag.ts'
import { searchCommand } from './search.ts'
import { stopCommand } from './stop.ts'
import { summaryCommand } from './summary.ts'
import { todoCommand } from './todo.ts'
import { toolsCommand } from './tools.ts'
import { topicCommand, vibeCommand } from './topic.ts'
import { turnCommand } from './turn.ts'
import { usageCommand } from './usage.ts'
import { whoCommand } from './who.ts'
import { whoamiCommand } from './whoami.ts'
import { wrapCommand } from './wrap.ts'

/** What commands are made from; each takes only what it needs. */
export interface CommandParts {
  readonly chat: Chat
  readonly people: People
  readonly speech: Speech
  /** What goes on in the rooms. */
  readonly activity: {
    readonly turns: Turns
    readonly runs: ToolRuns
    readonly summaries: Summaries
    readonly approvals: Approvals
    readonly hooks: Pick<RoomHooks, 'logOf'>
  }
  readonly clock: Clock
  readonly stores: {
    readonly rooms: RoomStore
    readonly people: PeopleStore
    readonly log: EntryLog
    readonly turns: TurnStore & ChargeStore
    readonly grants: GrantStore
    readonly scripts: ScriptStore
    readonly summaries: SummaryStore
    readonly history: Pick<HistoryStore, 'following'>
  }
}

/** Every command, in the order of `help`. */
export function createCommands(parts: CommandParts): readonly Command[] {
  const { chat, people, speech, activity, clock, stores } = parts
  const { turns, runs, summaries, approvals, hooks } = activity
  const permissionsOf = createCallerPermissions(turns, approvals)
  const commands: readonly Command[] = [
    helpCommand(() => commands),
    whoamiCommand(people),
    claimCommand(people),
    roomsCommand(chat),
    createRoomCommand(chat),
    joinCommand(chat, stores.rooms),
    leaveCommand(chat),
    forkCommand(chat),
    inviteCommand(stores.rooms, stores.people),
    topicCommand(stores.rooms),
    vibeCommand(stores.rooms),
    exitsCommand(chat),
    portalCommand(chat),
    goCommand(chat, stores.rooms),
    navCommand(chat),
    sayCommand(speech, permissionsOf),
    meCommand(speech),
    historyCommand(stores.log),
    searchCommand(chat),
    whoCommand(turns),
    askCommand(turns, speech, permissionsOf),
    stopCommand(activity),
    runCommand(runs, turns, permissionsOf),
    allowCommand(approvals),
    denyCommand(approvals),
    permsCommand(stores.grants, clock),
    modelsCommand(turns),
    usageCommand(stores.turns, clock),
    todoCommand(stores.rooms),
    toolsCommand(turns, stores.rooms),
    wrapCommand(turns),
    turnCommand(stores.turns, chat),
    scriptCommand(stores.scripts, turns, clock, hooks),
    summaryCommand(stores, summaries, clock),
    checkpointCommand(chat, stores.rooms, clock),
    kvCommand(stores.rooms, summaries),
    quitCommand(),
  ]
  return commands
}
