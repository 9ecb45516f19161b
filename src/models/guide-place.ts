/** The guide's facts besides its request. The server passes them in, because an adapter knows no commands. */
export interface GuidePlace {
  readonly commands: () => readonly DescribedCommand[]
  /** Names of the enabled language models. */
  readonly models: () => readonly string[]
  /** Returns the help for a word that is not a command here, such as timezone; undefined if there is none. */
  readonly hint: (word: string) => string | undefined
  /** Who may make invite codes; undefined if newcomers need none. */
  readonly inviteMakers: () => 'members' | 'ops' | 'admins' | undefined
}

/** A command in the words of `/help`. */
export interface DescribedCommand {
  readonly name: string
  readonly aliases: readonly string[]
  /** The subject that the command belongs to. */
  readonly group: string
  readonly usage: string
  readonly summary: string
  /** Texts of its arguments and flags. */
  readonly details: string
  /** Completes "only the owner of the room, an op or an admin can …"; absent if everybody may. */
  readonly manage?: string
}

export const NO_PLACE: GuidePlace = {
  commands: () => [],
  hint: () => undefined,
  models: () => [],
  inviteMakers: () => undefined,
}

/** The person who asks the guide, and the room, parsed from the prompt's layers. */
export interface Asker {
  readonly name: string
  /**
   * The guest role if the room's script omits it, so that the guide suggests nothing that would be refused.
   */
  readonly role: string
  readonly room: string
  readonly isPrivate: boolean
}

/** In other lines without an indent, a colon or a star comes before text that people wrote. */
const USER = /^([^\s:*]+) is asking you; their role here is (\w+)\.$/m
const ROOM = /^Name: (\S+?)( \(private\))?$/m

export function askerIn(context: string): Asker {
  const [, name = '', role = 'guest'] = USER.exec(context) ?? []
  const [, room = '', mark] = ROOM.exec(context) ?? []
  return { name, role, room, isPrivate: mark !== undefined }
}

export const mayManage = ({ role }: Asker): boolean => ['owner', 'op', 'admin'].includes(role)
