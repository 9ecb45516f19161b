import type { RoomKind } from './stage.ts'

/**
 * Who may do what: a row for each use of a verb, a letter for each role of `ROLES`. The test walks all of it, and
 * docs/rights.md shows it.
 *
 * `+` done; `-` refused, for the owner of the room, an op or an admin only, say; `?` there is no such room, as for a room
 * that is not there; `i` invited, and no member yet; `m` muted; `b` banned; `g` not for guests; `a` the room is archived,
 * or is not; `x` refused to this one by the thing itself, such as a line of their own that is not there.
 */
export interface RightsRow extends RoomRights {
  /** As a script writes it; `ROOM` is the room. */
  readonly line: string
  readonly stdin?: string
  /**
   * `entry`: what is done is an entry that people see. `own`: it concerns nobody but the one who does it, makes a room of
   * their own, is nothing new, or has its entry only when something ends. Absent: it changes nothing.
   */
  readonly changes?: 'entry' | 'own'
  /**
   * Afterwards somebody of `ROLES` may do less, or more, or what a later row is about is gone, or the command ends a
   * question, whose entries come later and would count for the next row.
   */
  readonly moves?: true
}

/** A letter for each role, by kind of room. */
export type RoomRights = { readonly [Kind in RoomKind]: string }

const READ = { public: '++++++++b', private: '??i+++?+?', archived: '++++++++b' }
const SPEAK = { public: '+++++++mb', private: '??i+++?m?', archived: 'aaaaaaaab' }
const ANSWER = { public: '----+++mb', private: '??i-++?m?', archived: 'aaaaaaaab' }
const MANAGE = { public: '----+++-b', private: '??i-++?-?', archived: '----aaa-b' }
/** What keeps order is possible where nobody speaks, too. */
const ORDER = { public: '----+++-b', private: '??i-++?-?', archived: '----+++-b' }
const ALL = { public: '+++++++++', private: '+++++++++', archived: '+++++++++' }
const NO_GUEST = { public: 'g++++++++', private: 'g++++++++', archived: 'g++++++++' }
const NO_SERVER = { public: '------x--', private: '------x--', archived: '------x--' }
const ADMIN = { public: '------+--', private: '------+--', archived: '------+--' }

/** What the owner and ops let models do by themselves. */
const LISTEN = { public: 'g---+++mb', private: '??i-++?m?', archived: 'aaaaaaaab' }

const SCRIPT = 'function default_wrap(target) return wrap(target) end'

/** Nothing is changed. */
const reads = (line: string, who: RoomRights): RightsRow => ({ line, ...who })
const changes = (line: string, who: RoomRights, stdin?: string): RightsRow => ({
  line,
  ...who,
  changes: 'entry',
  ...(stdin === undefined ? {} : { stdin }),
})
const moves = (line: string, who: RoomRights): RightsRow => ({ ...changes(line, who), moves: true })
const own = (line: string, who: RoomRights): RightsRow => ({ line, ...who, changes: 'own' })

export const RIGHTS: readonly RightsRow[] = [
  reads('help', ALL),
  reads('whoami', ALL),
  reads('set', ALL),
  reads('mentions', ALL),
  reads('rooms', ALL),
  reads('models', ALL),
  reads('usage ROOM', READ),
  reads('who ROOM', READ),
  reads('history ROOM', READ),
  reads('copy ROOM 1 all', READ),
  reads('search ROOM line', READ),
  reads('export ROOM', READ),
  reads('exits ROOM', READ),
  reads('todo ROOM', READ),
  reads('tools ROOM', READ),
  reads('wrap ROOM @qwen', READ),
  reads('turn ROOM last', READ),
  reads('files ROOM', READ),
  // There is no such version, and no model wrote a file.
  reads('files ROOM --back 1 a.txt', {
    public: 'gxxxxxxmb',
    private: '??ixxx?m?',
    archived: 'gaaaaaaab',
  }),
  reads('undo ROOM', { public: 'gxxxxxxmb', private: '??ixxx?m?', archived: 'aaaaaaaab' }),
  reads('script ROOM show', READ),
  reads('instruct ROOM', READ),
  reads('persona ROOM', READ),
  reads('memory ROOM', READ),
  reads('memory ROOM here', READ),
  reads('kv ROOM', READ),
  reads('perms ROOM', READ),
  reads('summary ROOM', READ),
  reads('nav ROOM', READ),
  reads('topic ROOM', READ),
  reads('vibe ROOM', READ),
  reads('checkpoint ROOM', READ),
  reads('keep ROOM', READ),
  reads('routines ROOM', READ),
  reads('listen ROOM', READ),
  reads('bans --room ROOM', ORDER),
  reads('bans', ADMIN),
  reads('invites list', ALL),
  reads('mcp list', ADMIN),
  reads('keys list', NO_GUEST),
  reads('token list', NO_GUEST),

  changes('say ROOM hello', SPEAK),
  changes('me ROOM waves', SPEAK),
  changes('ask ROOM @qwen tools', SPEAK),
  changes('ask ROOM --allow touch @qwen tools', ANSWER),
  changes('react ROOM 👍', SPEAK),
  changes('pin ROOM', MANAGE),
  changes('unpin ROOM', MANAGE),
  own('ring ROOM off', { public: 'g+++++++b', private: '??i+++?+?', archived: 'g+++++++b' }),
  changes('edit ROOM better', SPEAK),
  changes('panel ROOM @qwen @guide why', SPEAK),
  changes('retry ROOM', SPEAK),
  changes('retry ROOM @qwen', SPEAK),
  changes('retry ROOM --allow touch', ANSWER),
  // Nobody can ask a script whether the tool may.
  own('run ROOM touch', { public: 'xxxxxxxmb', private: '??ixxx?m?', archived: 'aaaaaaaab' }),
  changes('run ROOM --allow touch touch {"q":"x"}', ANSWER),

  changes('topic ROOM new', MANAGE),
  changes('vibe ROOM calm', MANAGE),
  changes('tools ROOM touch', MANAGE),
  changes('tools ROOM @qwen off', MANAGE),
  reads('tools ROOM @qwen', READ),
  changes('instruct ROOM be brief', MANAGE),
  changes('persona ROOM reviewer @qwen find what breaks', MANAGE),
  changes('remember ROOM tea is at five', LISTEN),
  // The person who remembered it, and people who manage the room.
  changes('forget ROOM 1', LISTEN),
  own('remember --me likes tea', NO_GUEST),
  own('memory --me', NO_GUEST),
  own('forget --me 1', NO_GUEST),
  own('memory ROOM here on', { public: 'g+++++++b', private: '??i+++?+?', archived: 'g+++++++b' }),
  changes('nav ROOM on', MANAGE),
  changes('kv ROOM note 1', MANAGE),
  changes('portal ROOM up lobby', MANAGE),
  changes('checkpoint ROOM one', MANAGE),
  changes('summary ROOM set what was', MANAGE),
  { ...reads('script ROOM check', MANAGE), stdin: SCRIPT },
  changes('script ROOM set', MANAGE, SCRIPT),
  changes('script ROOM reset', MANAGE),

  own('remind 10m tea', NO_GUEST),
  changes('remind --room ROOM 10m tea', { public: 'g++++++mb', private: '??i+++?m?', archived: 'gaaaaaaab' }),
  changes('every ROOM day 10:00 tea', { public: 'g++++++mb', private: '??i+++?m?', archived: 'aaaaaaaab' }),
  changes('watch ROOM fire @qwen where?', LISTEN),
  changes('listen ROOM @qwen', LISTEN),
  own('invites new', NO_GUEST),
  // It is an entry of the room, so it needs a voice there.
  changes('invites new ROOM', { public: 'g++++++mb', private: 'g?i-++?-?', archived: 'gaaaaaaab' }),
  own('token new', NO_GUEST),
  own('token new --rooms ROOM', { public: 'g+++++++b', private: 'g?i+++?+?', archived: 'g+++++++b' }),
  reads('token revoke 999', { public: 'gxxxxxxxx', private: 'gxxxxxxxx', archived: 'gxxxxxxxx' }),
  own('talk', ALL),
  own('talk @guide tools', NO_GUEST),
  own('msg tom hi', ALL),
  own('away busy', ALL),
  own('ignore tom', NO_GUEST),
  own('set bell off', NO_GUEST),
  // There is no such program, and no such server.
  own('mcp connect holler /no/such/program', NO_SERVER),
  own('mcp disconnect holler', NO_SERVER),
  reads('mcp refresh holler', NO_SERVER),
  own('mcp approve holler', NO_SERVER),
  reads('reply hello', { public: 'xxxxxxxxx', private: 'xxxxxxxxx', archived: 'xxxxxxxxx' }),
  reads('claim ABCD-EFGH', { public: 'gxxxxxxxx', private: 'gxxxxxxxx', archived: 'gxxxxxxxx' }),

  own('fork ROOM copy', { public: 'g++++++mb', private: '??i+++?m?', archived: 'aaaaaaaab' }),
  changes('retract ROOM', SPEAK),
  { ...own('stop ROOM', { public: 'xxxx+++xb', private: '??ix++?x?', archived: 'xxxxxxxxb' }), moves: true },
  moves('allow ROOM', ANSWER),
  moves('allow ROOM always', ANSWER),
  moves('deny ROOM', ANSWER),
  changes('routines ROOM pause 1', ORDER),
  changes('routines ROOM end 1', ORDER),
  changes('invite ROOM vera', { public: 'xxxxxxxmb', private: '??i-++?m?', archived: 'aaaaaaaab' }),
  changes('uninvite ROOM ida', { public: '----xxx-b', private: '??i-++?-?', archived: '----xxx-b' }),
  changes('unmute ROOM mia', ORDER),
  changes('deop ROOM otto', ORDER),
  moves('mute ROOM tom', ORDER),
  moves('kick ROOM tom', ORDER),
  moves('op ROOM tom', ORDER),
  moves('owner ROOM tom', { public: '-----++-b', private: '??i--+?-?', archived: '-----++-b' }),
  moves('ban --room ROOM tom', ORDER),
  changes('unban --room ROOM bea', ORDER),
  changes('keep ROOM 3650d', ORDER),
  // Nothing is stored that she said.
  reads('purge ida', NO_SERVER),
  moves('ban tom', ADMIN),
  changes('unban 10.9.8.0/24', ADMIN),
  moves('archive ROOM', { public: '-----++-b', private: '??i--+?-?', archived: '-----aa-b' }),
  moves('archive ROOM off', { public: '-----aa-b', private: '??i--a?-?', archived: '-----++-b' }),
  moves('rename-room ROOM other', { public: '-----++-b', private: '??i--+?-?', archived: '-----++-b' }),
  // What must be asked for twice.
  reads('delete ROOM', { public: '-----xx-b', private: '??i--x?-?', archived: '-----xx-b' }),
  moves('delete ROOM NAME', { public: '-----++-b', private: '??i--+?-?', archived: '-----++-b' }),
  { ...own('rename other', NO_GUEST), moves: true },
  {
    ...own('fork ROOM copy --from -1', { public: 'g++++++mb', private: '??i+++?m?', archived: 'aaaaaaaab' }),
    moves: true,
  },
  own('create own', NO_GUEST),
  { ...own('join ROOM', { public: 'g+++++++b', private: '??++++?+?', archived: 'g+++++++b' }), moves: true },
  moves('leave ROOM', { public: 'xxx++xx+b', private: '??i++x?+?', archived: 'xxx++xx+b' }),
]

/** These exist in a session alone: there they are for everybody who is in the room. */
const ONLY_IN_SESSIONS = ['go', 'next', 'clear', 'quit']

/** Those of these verbs of which the table says nothing. */
export function withoutRights(verbs: readonly string[]): readonly string[] {
  const rows = new Set([...RIGHTS.map(({ line }) => line.split(' ')[0]), ...ONLY_IN_SESSIONS])
  return verbs.filter((verb) => !rows.has(verb))
}
