import { ROLES, ROOM_KINDS } from '../../contract/rights/stage.ts'
import { RIGHTS, type RightsRow } from '../../contract/rights/table.ts'
import { formatPage } from './commands-page.ts'
import { groupRights, whoMayUse } from './who-may.ts'

/** The text of docs/rights.md: the matrix of rights, a row for all uses with the same rights. */
export function rightsPage(): Promise<string> {
  const groups = [...groupRights(RIGHTS, (row) => ROOM_KINDS.map((kind) => row[kind]).join(' ')).values()]
  return formatPage([INTRODUCTION, tableOf(groups), usesOf(groups)])
}

const INTRODUCTION = `# Who may do what

\`npm run docs\` writes this page from a table of which a test runs each use as each role. [Commands](commands.md) has the
commands and says who readers, speakers and managers are.

A row is for all uses with the same rights: its number is that of the list below. A cell has one letter, or three if
they differ: for a room that is public, one that is private, and one that was public and is archived.

\`+\` done · \`-\` not with these rights · \`?\` the room is unknown to them · \`i\` invited, and no member yet · \`m\` muted ·
\`b\` banned · \`g\` not for guests · \`a\` the room is archived, or is not · \`x\` not for this one: there is no line, turn or
invitation of theirs, an owner cannot leave, or it must be asked for twice.

A stranger has no session, and a person who is banned from the server has none either; \`banned\` is here: banned from this
room. \`invited\` and \`muted\` are meant for this room, too. In a public room somebody who is invited is a visitor:
registered, and no member. The rooms are others than the lobby, from which nobody can be banned.`

function tableOf(groups: readonly (readonly RightsRow[])[]): string {
  const rows = groups.map(([row], at) => [String(at + 1), ...ROLES.map((_, role) => cell(row!, role))])
  return [['', ...ROLES], ['--:', ...ROLES.map(() => ':-:')], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

function cell(row: RightsRow, role: number): string {
  const letters = ROOM_KINDS.map((kind) => row[kind][role] ?? '')
  return new Set(letters).size === 1 ? letters[0]! : letters.join(' ')
}

const usesOf = (groups: readonly (readonly RightsRow[])[]): string =>
  groups
    .map(
      (rows, at) => `${at + 1}. ${whoMayUse(rows[0]!)}: ${rows.map(({ line }) => `\`${line}\``).join(', ')}`,
    )
    .join('\n')
