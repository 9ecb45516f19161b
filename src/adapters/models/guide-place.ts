/** What the guide knows besides its request. The server hands it in: an adapter knows no commands. */
export interface GuidePlace {
  readonly commands: () => readonly DescribedCommand[]
  /** Names of the enabled language models. */
  readonly models: () => readonly string[]
  /** True if a tool of this id asks people before it runs. */
  readonly asks: (toolId: string) => boolean
  /** What help says of a word that is no command here, such as timezone; undefined if nothing. */
  readonly hint: (word: string) => string | undefined
  /** Who may make invite codes; undefined if newcomers need none. */
  readonly inviteMakers: () => 'members' | 'ops' | 'admins' | undefined
}

/** A command in the words of `/help`. */
export interface DescribedCommand {
  readonly name: string
  readonly aliases: readonly string[]
  /** With what it is about. */
  readonly group: string
  readonly usage: string
  readonly summary: string
  /** Of its arguments and flags. */
  readonly details: string
  /** Completes "only the owner of the room, an op or an admin can …"; absent if everybody may. */
  readonly manage?: string
}

export const NO_PLACE: GuidePlace = {
  commands: () => [],
  hint: () => undefined,
  models: () => [],
  asks: () => false,
  inviteMakers: () => undefined,
}

/** Who asks the guide, and in which room, by the layers of its prompt. */
export interface Asker {
  readonly name: string
  /** That of a guest if the room's script leaves it out: nothing is proposed then that is refused. */
  readonly role: string
  readonly room: string
  readonly isPrivate: boolean
}

/** Other lines at the margin have a colon or a star before a text that people wrote. */
const USER = /^([^\s:*]+) is asking you; their role here is (\w+)\.$/m
const ROOM = /^Name: (\S+?)( \(private\))?$/m

export function askerIn(context: string): Asker {
  const [, name = '', role = 'guest'] = USER.exec(context) ?? []
  const [, room = '', mark] = ROOM.exec(context) ?? []
  return { name, role, room, isPrivate: mark !== undefined }
}

export const mayManage = ({ role }: Asker): boolean => ['owner', 'op', 'admin'].includes(role)
