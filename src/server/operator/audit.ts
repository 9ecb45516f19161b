import stringWidth from 'string-width'
import { fingerprintOf } from '../../ssh/index.ts'
import { auditDatabase } from '../../storage/index.ts'
import type { Config } from '../config/config.ts'
import { safeJson } from '../../base/json.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import { databaseOf } from '../data-dir.ts'
import { paths } from '../../base/paths.ts'

interface Right {
  readonly who: string
  readonly where: string
  readonly may: string
  readonly until: string | null
  readonly by: string | null
}

/**
 * Prints a line for each right in the config and the database. Only reads, and may run beside a server.
 * Resolves to the exit status. Rejects with `StorageError`.
 */
export async function audit(config: Config, json: boolean): Promise<number> {
  const stored = await auditDatabase(databaseOf(config), paths.migrations, Date.now())
  const rights = [...configured(config), ...stored.map((row) => ({ ...row, until: timeOf(row.until) }))]
  for (const line of json ? rights.map((right) => safeJson({ ...right })) : table(rights)) console.log(line)
  return 0
}

function configured({ server, limits }: Config): readonly Right[] {
  const of = (who: string, may: string): Right => ({
    who,
    where: 'server',
    may,
    until: null,
    by: 'the config',
  })
  return [
    of(ADMITTED[server.access], `register (access = ${server.access})`),
    ...(limits.keep_days === 0 ? [] : [of('everybody', `read back ${limits.keep_days}d`)]),
    ...server.admins.map((key) => of(`whoever has ${key}`, 'admin')),
    ...server.user_ca.map((key) =>
      of(
        `whoever has a certificate of ${fingerprintIn(key)} for it`,
        'log in with any name that is free or theirs',
      ),
    ),
  ]
}

const fingerprintIn = (line: string): string =>
  fingerprintOf(Buffer.from(line.trim().split(/ +/)[1] ?? '', 'base64'))

const ADMITTED = { open: 'anybody with a key', invite: 'whoever is invited', closed: 'nobody' } as const

const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

const COLUMNS = ['who', 'where', 'may', 'until', 'by'] as const

function table(rights: readonly Right[]): readonly string[] {
  const rows = [COLUMNS, ...rights.map((right) => COLUMNS.map((column) => cleanLine(right[column] ?? '-')))]
  const widths = COLUMNS.map((_, at) => Math.max(...rows.map((cells) => stringWidth(cells[at] ?? ''))))
  const padded = (cell: string, at: number): string =>
    cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - stringWidth(cell)))
  return rows.map((cells) => cells.map(padded).join('  ').trimEnd())
}
