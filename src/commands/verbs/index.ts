// One file for each command, and this list of them. A command's summary says what it does, in place of a comment. None of
// them knows how its line was parsed, how its errors are shown, or what carries its session.
import type { InvitationNotices } from '../../chat/invitations/invitation-notices.ts'
import type { Rooms } from '../../chat/rooms.ts'
import type { Moderation } from '../../chat/moderation/moderation.ts'
import type { Invites } from '../../chat/people/invites.ts'
import type { Keys } from '../../chat/people/keys.ts'
import type { People } from '../../chat/people/people.ts'
import type { Talk } from '../../chat/talk/talk.ts'
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
import { archiveCommand } from './archive.ts'
import { askCommand } from './ask.ts'
import { awayCommand } from './away.ts'
import { banCommand, bansCommand, unbanCommand } from './ban.ts'
import { checkpointCommand } from './checkpoint.ts'
import { claimCommand } from './claim.ts'
import { createRoomCommand } from './create.ts'
import { deleteCommand } from './delete.ts'
import { editCommand } from './edit.ts'
import { exitsCommand } from './exits.ts'
import { exportCommand } from './export.ts'
import { forkCommand } from './fork.ts'
import { goCommand } from './go.ts'
import { helpCommand } from './help.ts'
import { historyCommand } from './history.ts'
import { ignoreCommand } from './ignore.ts'
import { inviteCommand } from './invite.ts'
import { invitesCommand, type InvitePolicy } from './invites.ts'
import { joinCommand } from './join.ts'
import { kickCommand } from './kick.ts'
import { keysCommand } from './keys.ts'
import { kvCommand } from './kv.ts'
import { leaveCommand } from './leave.ts'
import { modelsCommand } from './models.ts'
import { msgCommand } from './msg.ts'
import { muteCommand, unmuteCommand } from './mute.ts'
import { navCommand } from './nav.ts'
import { deopCommand, opCommand } from './op.ts'
import { permsCommand } from './perms.ts'
import { portalCommand } from './portal.ts'
import { quitCommand } from './quit.ts'
import { reactCommand } from './react.ts'
import { renameCommand } from './rename.ts'
import { replyCommand } from './reply.ts'
import { retractCommand } from './retract.ts'
import { retryCommand } from './retry.ts'
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
import { uninviteCommand } from './uninvite.ts'
import { usageCommand } from './usage.ts'
import { whoCommand } from './who.ts'
import { whoamiCommand } from './whoami.ts'
import { wrapCommand } from './wrap.ts'

/** What commands are made from; each takes only what it needs. */
export interface CommandParts {
  readonly rooms: Rooms
  readonly people: People
  /** How people come in. */
  readonly comingIn: {
    readonly invites: Invites
    readonly keys: Keys
    readonly policy: () => InvitePolicy
  }
  /** What people say, and what they are told beside the rooms. */
  readonly spoken: {
    readonly speech: Speech
    readonly talk: Talk
    readonly invitations: InvitationNotices
  }
  /** What goes on in the rooms. */
  readonly activity: {
    readonly turns: Turns
    readonly runs: ToolRuns
    readonly summaries: Summaries
    readonly approvals: Approvals
    readonly hooks: Pick<RoomHooks, 'logOf'>
  }
  readonly moderation: Moderation
  readonly clock: Clock
  readonly stores: {
    readonly chat: { readonly rooms: RoomStore; readonly people: PeopleStore; readonly log: EntryLog }
    readonly prompts: {
      readonly scripts: ScriptStore
      readonly summaries: SummaryStore
      readonly history: Pick<HistoryStore, 'following'>
    }
    readonly models: { readonly turns: TurnStore; readonly charges: ChargeStore }
    readonly tools: { readonly grants: GrantStore }
  }
}

/** Every command, in the order of `help`. */
export function createCommands(parts: CommandParts): readonly Command[] {
  const { rooms, people, comingIn, spoken, activity, clock, stores } = parts
  const { speech, talk, invitations } = spoken
  const { memberships, closing } = parts.moderation
  const { turns, runs, summaries, approvals, hooks } = activity
  const permissionsOf = createCallerPermissions(turns, approvals)
  const commands: readonly Command[] = [
    helpCommand(() => commands),
    whoamiCommand(people),
    claimCommand(people),
    invitesCommand(comingIn.invites, people, rooms, comingIn.policy),
    keysCommand(comingIn.keys),
    renameCommand(people, rooms),
    roomsCommand(rooms, memberships, closing),
    createRoomCommand(rooms),
    joinCommand(rooms, stores.chat.rooms, memberships),
    leaveCommand(rooms, memberships),
    forkCommand(rooms),
    inviteCommand(stores.chat.rooms, stores.chat.people, invitations),
    uninviteCommand(memberships),
    topicCommand(stores.chat.rooms),
    vibeCommand(stores.chat.rooms),
    exitsCommand(rooms.exits),
    portalCommand(rooms),
    goCommand(rooms, memberships, stores.chat.rooms),
    navCommand(rooms.exits),
    sayCommand(speech, permissionsOf),
    meCommand(speech),
    editCommand(talk.lines),
    retractCommand(talk.lines),
    reactCommand(talk.reactions),
    msgCommand(talk),
    replyCommand(talk),
    awayCommand(talk.away),
    ignoreCommand(talk),
    historyCommand(stores.chat.log),
    searchCommand(rooms, stores.chat.log),
    exportCommand(stores.chat.log, clock),
    whoCommand(turns, talk.away),
    askCommand(turns, speech, permissionsOf),
    stopCommand(activity),
    retryCommand(turns, stores.models.turns, speech, permissionsOf),
    runCommand(runs, turns, permissionsOf),
    allowCommand(approvals),
    denyCommand(approvals),
    permsCommand(stores.tools.grants, clock),
    modelsCommand(turns),
    usageCommand(stores.models.charges, clock),
    todoCommand(stores.chat.rooms),
    toolsCommand(turns, stores.chat.rooms),
    wrapCommand(turns),
    turnCommand(stores.models.turns),
    scriptCommand(stores.prompts.scripts, turns, clock, hooks),
    summaryCommand({ ...stores.prompts, rooms: stores.chat.rooms }, summaries, clock),
    checkpointCommand(stores.chat.rooms, clock),
    kvCommand(stores.chat.rooms, summaries),
    ...moderationCommands(parts),
    quitCommand(),
  ]
  return commands
}

/** What keeps order. */
function moderationCommands({ rooms, moderation }: CommandParts): readonly Command[] {
  const { bans, discipline, memberships, closing } = moderation
  return [
    opCommand(memberships),
    deopCommand(memberships),
    kickCommand(discipline),
    muteCommand(discipline),
    unmuteCommand(discipline),
    banCommand(rooms, bans),
    unbanCommand(rooms, bans),
    bansCommand(rooms, bans),
    archiveCommand(closing),
    deleteCommand(closing),
  ]
}
