// Verbs by subject, and this list of them. A command's summary says what it does, instead of a comment. No
// verb knows how its line was parsed, how its errors are shown, or what carries its session.
import type { Command, CommandGroup } from '../command.ts'
import { helpCommand } from '../help.ts'
import * as account from './account.ts'
import * as ask from './ask.ts'
import * as bans from './bans.ts'
import * as credentials from './credentials.ts'
import { exportCommand } from './export.ts'
import * as history from './history.ts'
import { invitesCommand } from './invites.ts'
import * as keyValues from './key-values.ts'
import { mcpCommand } from './mcp.ts'
import * as moderation from './moderation.ts'
import * as moving from './moving.ts'
import * as permissions from './permissions.ts'
import * as rooms from './rooms.ts'
import { scriptCommand } from './script.ts'
import type { Services, Verb } from './services.ts'
import { summaryCommand } from './summary.ts'
import * as talk from './talk.ts'
import * as tools from './tools.ts'
import { turnCommand } from './turn.ts'
import * as usage from './usage.ts'
import { wrapCommand } from './wrap.ts'

/** Every command, in the order of `help`. */
export const createCommands = (services: Services): readonly Command[] =>
  createCommandGroups(services).flatMap(({ commands }) => commands)

/** Every command, in its group. */
export function createCommandGroups(services: Services): readonly CommandGroup[] {
  const groups: readonly CommandGroup[] = GROUPS.map(({ name, about, verbs }) => ({
    name,
    about,
    commands: verbs.map((verb) =>
      verb === 'help' ? helpCommand(() => groups, services.keys) : verb(services),
    ),
  }))
  return groups
}

/** A group has ten verbs at most, so that help of it fits on a small screen. */
const GROUPS: readonly {
  readonly name: string
  readonly about: string
  readonly verbs: readonly (Verb | 'help')[]
}[] = [
  {
    name: 'talk',
    about: 'to all in the room, or to one person',
    verbs: [
      talk.sayCommand,
      talk.meCommand,
      talk.msgCommand,
      talk.replyCommand,
      talk.editCommand,
      talk.retractCommand,
      talk.reactCommand,
      talk.awayCommand,
      talk.ignoreCommand,
    ],
  },
  {
    name: 'places',
    about: 'the rooms, and who is in them',
    verbs: [
      rooms.roomsCommand,
      rooms.createRoomCommand,
      moving.joinCommand,
      moving.leaveCommand,
      rooms.forkCommand,
      moderation.inviteCommand,
      moderation.uninviteCommand,
      rooms.whoCommand,
      rooms.topicCommand,
      rooms.vibeCommand,
    ],
  },
  {
    name: 'ways',
    about: 'exits between rooms, and the end of a room',
    verbs: [
      moving.exitsCommand,
      moving.portalCommand,
      moving.goCommand,
      moving.navCommand,
      rooms.archiveCommand,
      rooms.deleteCommand,
    ],
  },
  {
    name: 'past',
    about: 'what was said',
    verbs: [
      history.historyCommand,
      history.searchCommand,
      exportCommand,
      summaryCommand,
      history.checkpointCommand,
    ],
  },
  {
    name: 'asking',
    about: 'models, and what their tools may do',
    verbs: [
      ask.askCommand,
      ask.stopCommand,
      ask.retryCommand,
      usage.modelsCommand,
      usage.usageCommand,
      permissions.allowCommand,
      permissions.denyCommand,
      permissions.permsCommand,
    ],
  },
  {
    name: 'prompt',
    about: 'what models read here, and which tools they have',
    verbs: [
      tools.toolsCommand,
      tools.runCommand,
      keyValues.todoCommand,
      wrapCommand,
      turnCommand,
      scriptCommand,
      keyValues.kvCommand,
    ],
  },
  {
    name: 'you',
    about: 'who you are, and how you come in',
    verbs: [
      'help',
      account.whoamiCommand,
      account.renameCommand,
      account.setCommand,
      credentials.keysCommand,
      invitesCommand,
      account.claimCommand,
      account.clearCommand,
      account.quitCommand,
    ],
  },
  { name: 'programs', about: 'that come in as you', verbs: [credentials.tokenCommand] },
  {
    name: 'order',
    about: 'for those who manage a room or the server',
    verbs: [
      moderation.opCommand,
      moderation.deopCommand,
      moderation.kickCommand,
      moderation.muteCommand,
      moderation.unmuteCommand,
      bans.banCommand,
      bans.unbanCommand,
      bans.bansCommand,
      ({ mcp, people }) => mcpCommand(mcp, people),
    ],
  },
]
