/** The guide's facts besides its request. The server passes them in, because an adapter knows no commands. */
export interface GuidePlace {
  readonly commands: () => readonly DescribedCommand[]
  readonly models: () => readonly string[]
  /** Returns the help for a word that is not a command here, such as timezone. */
  readonly hint: (word: string) => string | undefined
  /** The people who may make invite codes; undefined if newcomers need none. */
  readonly inviteMakers: () => 'members' | 'ops' | 'admins' | undefined
}

export interface DescribedCommand {
  readonly name: string
  readonly aliases: readonly string[]
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

/** The person who asks the guide, and the room; both are parsed from the prompt's layers. */
export interface Asker {
  readonly name: string
  /** Guest if the room's script omits the role, so that the guide suggests no forbidden command. */
  readonly role: string
  readonly room: string
  readonly isPrivate: boolean
}

/** Text that people wrote is indented or comes after a colon or a star: these patterns do not match it. */
const USER = /^([^\s:*]+) is asking you; their role here is (\w+)\.$/m
const ROOM = /^Name: (\S+?)( \(private\))?$/m

export function askerIn(context: string): Asker {
  const [, name = '', role = 'guest'] = USER.exec(context) ?? []
  const [, room = '', mark] = ROOM.exec(context) ?? []
  return { name, role, room, isPrivate: mark !== undefined }
}

export const mayManage = ({ role }: Asker): boolean => ['owner', 'op', 'admin'].includes(role)
