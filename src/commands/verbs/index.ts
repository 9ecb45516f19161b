// Verbs by subject, and a list of them. A verb's summary serves as its comment. No verb knows how its line
// was parsed, how its errors are shown, or which protocol carries its session.
import type { CommandGroup } from '../command.ts'
import { helpCommand } from '../help.ts'
import { copy } from './copy.ts'
import { claim, clear, quit, rename, set, whoami } from './account.ts'
import { ask, retry, stop } from './ask.ts'
import { keys, token } from './credentials.ts'
import { exportLog } from './export.ts'
import { files, undo } from './files.ts'
import { checkpoint, history, search } from './history.ts'
import { invites } from './invites.ts'
import { instruct } from './instruct.ts'
import { keep, purge } from './keeping.ts'
import { kv, todo } from './key-values.ts'
import { listen, watch } from './listen.ts'
import { mcp } from './mcp.ts'
import { mentions } from './mentions.ts'
import { ban, bans, deop, invite, kick, mute, op, owner, unban, uninvite, unmute } from './moderation.ts'
import { exits, go, join, leave, nav, next, portal } from './moving.ts'
import { forget, memory, remember } from './memory.ts'
import { panel } from './panel.ts'
import { allow, deny, perms } from './permissions.ts'
import { persona } from './persona.ts'
import { pin, unpin } from './pins.ts'
import { every, remind } from './remind.ts'
import { ring } from './ring.ts'
import { archive, create, deleteRoom, fork, renameRoom, rooms, topic, vibe, who } from './rooms.ts'
import { routines } from './routines.ts'
import { script } from './script.ts'
import type { Services, Verb } from './common.ts'
import { summary } from './summary.ts'
import { away, edit, ignore, me, msg, react, reply, retract, say } from './talk.ts'
import { talk } from './talks.ts'
import { run, tools } from './tools.ts'
import { turn } from './turn.ts'
import { models, usage } from './usage.ts'
import { wrap } from './wrap.ts'

/** Every command, in its group and in the order of `help`. */
export function createCommandGroups(services: Services): readonly CommandGroup[] {
  const help: Verb = () => helpCommand(() => groups, services)
  const groups = groupsWith(help).map(([name, about, verbs]): CommandGroup => {
    return { name, about, commands: verbs.map((verb) => verb(services)) }
  })
  return groups
}

/** Limits a group to ten verbs, so that its help fits on a small screen. */
const groupsWith = (
  help: Verb,
): readonly (readonly [name: string, about: string, verbs: readonly Verb[]])[] => [
  [
    'speech',
    'speak to all in the room, or to one person',
    [say, me, msg, reply, edit, retract, react, away, ignore],
  ],
  [
    'places',
    'the rooms, and who is in them',
    [rooms, create, join, leave, fork, invite, uninvite, who, topic, vibe],
  ],
  [
    'ways',
    'exits between rooms; hand over, rename, archive or delete a room',
    [exits, portal, go, next, nav, owner, renameRoom, archive, deleteRoom],
  ],
  ['past', 'the log of a room', [history, search, exportLog, summary, turn, pin, unpin, keep, purge]],
  [
    'asking',
    'ask models, and allow calls of their tools',
    [talk, ask, panel, stop, retry, models, allow, deny, perms],
  ],
  [
    'timers',
    'reminders and other routines, mentions and the bell',
    [remind, every, watch, listen, routines, mentions, ring],
  ],
  [
    'prompt',
    'what models read here, and which tools they have',
    [tools, wrap, instruct, persona, remember, memory, forget, checkpoint],
  ],
  [
    'you',
    'your name, your settings and your logins',
    [help, whoami, rename, set, keys, invites, claim, clear, quit],
  ],
  [
    'programs',
    'scripts, programs, files, the todo list, and the cost of models',
    [script, kv, run, token, copy, files, undo, todo, usage],
  ],
  [
    'order',
    'for those who manage a room or the server',
    [op, deop, kick, mute, unmute, ban, unban, bans, mcp],
  ],
]
