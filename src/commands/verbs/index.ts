// Verbs by subject, and this list of them. A command's summary says what it does, instead of a comment. No
// verb knows how its line was parsed, how its errors are shown, or what carries its session.
import type { Command, CommandGroup } from '../command.ts'
import { helpCommand } from '../help.ts'
import {
  claimCommand,
  clearCommand,
  quitCommand,
  renameCommand,
  setCommand,
  whoamiCommand,
} from './account.ts'
import { askCommand, retryCommand, stopCommand } from './ask.ts'
import { banCommand, bansCommand, unbanCommand } from './bans.ts'
import { keysCommand, tokenCommand } from './credentials.ts'
import { exportCommand } from './export.ts'
import { checkpointCommand, historyCommand, searchCommand } from './history.ts'
import { invitesCommand } from './invites.ts'
import { kvCommand, todoCommand } from './key-values.ts'
import { mcpCommand } from './mcp.ts'
import {
  deopCommand,
  inviteCommand,
  kickCommand,
  muteCommand,
  opCommand,
  uninviteCommand,
  unmuteCommand,
} from './moderation.ts'
import { exitsCommand, goCommand, joinCommand, leaveCommand, navCommand, portalCommand } from './moving.ts'
import { allowCommand, denyCommand, permsCommand } from './permissions.ts'
import {
  archiveCommand,
  createRoomCommand,
  deleteCommand,
  forkCommand,
  roomsCommand,
  topicCommand,
  vibeCommand,
  whoCommand,
} from './rooms.ts'
import { scriptCommand } from './script.ts'
import type { Services, Verb } from './services.ts'
import { summaryCommand } from './summary.ts'
import {
  awayCommand,
  editCommand,
  ignoreCommand,
  meCommand,
  msgCommand,
  reactCommand,
  replyCommand,
  retractCommand,
  sayCommand,
} from './talk.ts'
import { runCommand, toolsCommand } from './tools.ts'
import { turnCommand } from './turn.ts'
import { modelsCommand, usageCommand } from './usage.ts'
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
      sayCommand,
      meCommand,
      msgCommand,
      replyCommand,
      editCommand,
      retractCommand,
      reactCommand,
      awayCommand,
      ignoreCommand,
    ],
  },
  {
    name: 'places',
    about: 'the rooms, and who is in them',
    verbs: [
      roomsCommand,
      createRoomCommand,
      joinCommand,
      leaveCommand,
      forkCommand,
      inviteCommand,
      uninviteCommand,
      whoCommand,
      topicCommand,
      vibeCommand,
    ],
  },
  {
    name: 'ways',
    about: 'exits between rooms, and the end of a room',
    verbs: [exitsCommand, portalCommand, goCommand, navCommand, archiveCommand, deleteCommand],
  },
  {
    name: 'past',
    about: 'what was said',
    verbs: [historyCommand, searchCommand, exportCommand, summaryCommand, checkpointCommand],
  },
  {
    name: 'asking',
    about: 'models, and what their tools may do',
    verbs: [
      askCommand,
      stopCommand,
      retryCommand,
      modelsCommand,
      usageCommand,
      allowCommand,
      denyCommand,
      permsCommand,
    ],
  },
  {
    name: 'prompt',
    about: 'what models read here, and which tools they have',
    verbs: [toolsCommand, runCommand, todoCommand, wrapCommand, turnCommand, scriptCommand, kvCommand],
  },
  {
    name: 'you',
    about: 'who you are, and how you come in',
    verbs: [
      'help',
      whoamiCommand,
      renameCommand,
      setCommand,
      keysCommand,
      invitesCommand,
      claimCommand,
      clearCommand,
      quitCommand,
    ],
  },
  { name: 'programs', about: 'that come in as you', verbs: [tokenCommand] },
  {
    name: 'order',
    about: 'for those who manage a room or the server',
    verbs: [
      opCommand,
      deopCommand,
      kickCommand,
      muteCommand,
      unmuteCommand,
      banCommand,
      unbanCommand,
      bansCommand,
      ({ mcp, people }) => mcpCommand(mcp, people),
    ],
  },
]
