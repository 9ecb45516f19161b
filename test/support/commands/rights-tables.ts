import { ROLES, ROOM_KINDS, type RoomKind } from '../../contract/rights/stage.ts'
import { RIGHTS } from '../../contract/rights/table.ts'

/** The rights matrix as Markdown: a table for each kind of room. */
export const rightsTables = (): string => [INTRODUCTION, ...ROOM_KINDS.map(tableOf)].join('\n\n')

const INTRODUCTION = `# Who may do what

Each verb by each role, as a test walks it. A stranger has no session, and whoever is banned from the server has none either;
\`banned\` is here: banned from this room. \`invited\` and \`muted\` are meant for this room, too. In a public room somebody who is
invited is a visitor: registered, and no member. The rooms are others than the lobby, from which nobody can be banned.

\`+\` done · \`-\` not with these rights · \`?\` the room is unknown to them · \`i\` invited, and no member yet · \`m\` muted ·
\`b\` banned · \`g\` not for guests · \`a\` the room is archived, or is not · \`x\` not for this one: there is no line, turn or
invitation of theirs, an owner cannot leave, or it must be asked for twice.`

const tableOf = (kind: RoomKind): string =>
  [
    `## In a room that is ${kind}`,
    [
      ['', ...ROLES],
      ['---', ...ROLES.map(() => ':-:')],
      ...RIGHTS.map((row) => [`\`${row.line}\``, ...row[kind]]),
    ]
      .map((cells) => `| ${cells.join(' | ')} |`)
      .join('\n'),
  ].join('\n\n')
