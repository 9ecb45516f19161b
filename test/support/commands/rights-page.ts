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

\`npm run docs\` writes this page from a table; a test runs each use in it as each role. [Commands](commands.md) lists the
commands and says who readers, speakers and managers are.

A row stands for all uses with the same rights; the list below gives the uses of each row number. A cell has one symbol if
it is the same for all rooms. Otherwise it has three: for a public room, a private room, and an archived public room.

\`+\` the command succeeds. Other symbols say why it is refused: \`-\` the role lacks the right · \`?\` the role cannot see
the room · \`i\` the person is invited, but no member yet · \`m\` the person is muted · \`b\` the person is banned · \`g\` guests
may not · \`a\` the room is archived, or for \`archive off\` is not archived · \`x\` the command does not apply: this person has
no such line, turn or invitation, an owner cannot leave, or the command must be confirmed.

Strangers and people who are banned from the server are not in the table, because they have no session. \`invited\`, \`muted\`
and \`banned\` concern this room only. In a public room an invited person is a visitor: registered, but no member. The table
is for rooms other than the lobby, because nobody can be banned from the lobby.`

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
