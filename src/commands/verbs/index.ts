// One file for each command, and this list of them. A command's summary says what it does, in place of a comment. None of
// them knows how its line was parsed, how its errors are shown, or what carries its session.
import { allowCommand, denyCommand } from './allow.ts'
import { archiveCommand } from './archive.ts'
import { askCommand } from './ask.ts'
import { awayCommand } from './away.ts'
import { banCommand, bansCommand, unbanCommand } from './ban.ts'
import { checkpointCommand } from './checkpoint.ts'
import { claimCommand } from './claim.ts'
import { clearCommand } from './clear.ts'
import { createRoomCommand } from './create.ts'
import { deleteCommand } from './delete.ts'
import { editCommand } from './edit.ts'
import { exitsCommand } from './exits.ts'
import { exportCommand } from './export.ts'
import { forkCommand } from './fork.ts'
import { goCommand } from './go.ts'
import { historyCommand } from './history.ts'
import { ignoreCommand } from './ignore.ts'
import { inviteCommand } from './invite.ts'
import { invitesCommand } from './invites.ts'
import { joinCommand } from './join.ts'
import { kickCommand } from './kick.ts'
import { keysCommand } from './keys.ts'
import { kvCommand } from './kv.ts'
import { leaveCommand } from './leave.ts'
import { mcpCommand } from './mcp.ts'
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
import type { Services } from './services.ts'
import { createCallerPermissions } from './shared/allow-flag.ts'
import { searchCommand } from './search.ts'
import { setCommand } from './set.ts'
import { stopCommand } from './stop.ts'
import { summaryCommand } from './summary.ts'
import { todoCommand } from './todo.ts'
import { tokenCommand } from './token.ts'
import { toolsCommand } from './tools/tools.ts'
import { topicCommand, vibeCommand } from './topic.ts'
import { turnCommand } from './turn.ts'
import { uninviteCommand } from './uninvite.ts'
import { usageCommand } from './usage.ts'
import { whoCommand } from './who.ts'
import { whoamiCommand } from './whoami.ts'
import { wrapCommand } from './wrap.ts'
import type { Command, CommandGroup } from '../command.ts'
import { helpCommand } from '../help.ts'

/** Every command, in the order of `help`. */
export const createCommands = (parts: Services): readonly Command[] =>
  createCommandGroups(parts).flatMap(({ commands }) => commands)

/** Every command, in its group. A group has ten of them at most, so that help of it fits on a small screen. */
export function createCommandGroups(parts: Services): readonly CommandGroup[] {
  const { clock, stores, rooms, people, preferences, invitations, comingIn } = parts
  const { speech, talk, typing, turns, runs, summaries, approvals, hooks, mcp } = parts
  const { memberships, closing } = parts.moderation
  const permissionsOf = createCallerPermissions(turns, approvals)
  const groups: readonly CommandGroup[] = [
    {
      name: 'talk',
      about: 'to all in the room, or to one person',
      commands: [
        sayCommand(speech, permissionsOf),
        meCommand(speech),
        msgCommand(talk),
        replyCommand(talk),
        editCommand(talk.lines),
        retractCommand(talk.lines),
        reactCommand(talk.reactions),
        awayCommand(talk.away),
        ignoreCommand(talk),
      ],
    },
    {
      name: 'places',
      about: 'the rooms, and who is in them',
      commands: [
        roomsCommand(rooms, memberships, closing),
        createRoomCommand(rooms),
        joinCommand(rooms, stores.chat.rooms, memberships),
        leaveCommand(rooms, memberships),
        forkCommand(rooms),
        inviteCommand(stores.chat.rooms, stores.chat.people, invitations, {
          clock,
          memberships,
          ignores: talk.ignores,
        }),
        uninviteCommand(memberships),
        whoCommand(turns, talk.away),
        topicCommand(stores.chat.rooms),
        vibeCommand(stores.chat.rooms),
      ],
    },
    {
      name: 'ways',
      about: 'exits between rooms, and the end of a room',
      commands: [
        exitsCommand(rooms.exits),
        portalCommand(rooms),
        goCommand(rooms, memberships, stores.chat.rooms),
        navCommand(rooms.exits),
        archiveCommand(closing),
        deleteCommand(closing),
      ],
    },
    {
      name: 'past',
      about: 'what was said',
      commands: [
        historyCommand(stores.chat.log),
        searchCommand(rooms, stores.chat.log),
        exportCommand(stores.chat.log, clock),
        summaryCommand({ ...stores.prompts, rooms: stores.chat.rooms }, summaries, clock),
        checkpointCommand(stores.chat.rooms, clock),
      ],
    },
    {
      name: 'asking',
      about: 'models, and what their tools may do',
      commands: [
        askCommand(turns, speech, permissionsOf),
        stopCommand(parts),
        retryCommand(turns, stores.models.turns, speech, permissionsOf),
        modelsCommand(turns),
        usageCommand(stores.models.charges, clock, rooms),
        allowCommand(approvals),
        denyCommand(approvals),
        permsCommand(stores.tools.grants, clock),
      ],
    },
    {
      name: 'prompt',
      about: 'what models read here, and which tools they have',
      commands: [
        toolsCommand(turns, stores.chat.rooms, mcp),
        runCommand(runs, turns, permissionsOf),
        todoCommand(stores.chat.rooms),
        wrapCommand(turns, clock),
        turnCommand(stores.models.turns),
        scriptCommand(stores.prompts.scripts, turns, clock, hooks),
        kvCommand(stores.chat.rooms, summaries),
      ],
    },
    {
      name: 'you',
      about: 'who you are, and how you come in',
      commands: [
        helpCommand(() => groups, parts.keys),
        whoamiCommand(people),
        renameCommand(people, rooms),
        setCommand(preferences, typing),
        keysCommand(comingIn.keys, comingIn.clients.everywhere),
        invitesCommand(comingIn.invites, people, rooms, comingIn.policy),
        claimCommand(people),
        clearCommand(),
        quitCommand(),
      ],
    },
    {
      name: 'programs',
      about: 'that come in as you',
      commands: [tokenCommand(comingIn.tokens, rooms, comingIn.clients.everywhere)],
    },
    {
      name: 'order',
      about: 'for those who manage a room or the server',
      commands: moderationCommands(parts),
    },
  ]
  return groups
}

/** What keeps order, and what only admins do. */
function moderationCommands({ rooms, people, moderation, mcp }: Services): readonly Command[] {
  const { bans, discipline, memberships } = moderation
  return [
    opCommand(memberships),
    deopCommand(memberships),
    kickCommand(discipline),
    muteCommand(discipline),
    unmuteCommand(discipline),
    banCommand(rooms, bans),
    unbanCommand(rooms, bans),
    bansCommand(rooms, bans),
    mcpCommand(mcp, people),
  ]
}
