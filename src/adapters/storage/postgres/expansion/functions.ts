// What functions may do that a migration makes. They are run by servers that do not know them, through a trigger, and by rows that are
// inserted: one that raises, or changes what is there, keeps them from their work.
import { onlyReads } from './expressions.ts'

/** What a migration makes: nobody else uses it yet. */
export interface Own {
  readonly tables: ReadonlySet<string>
  readonly functions: ReadonlySet<string>
  /** Of tables that are there already: `table.column`. */
  readonly columns: ReadonlySet<string>
}

/** The first step of such a function that may harm; undefined where none does. */
export function harmfulStep(steps: readonly string[], own: Own): string | undefined {
  if (!/^(BEGIN|DECLARE)\b/i.test(steps[0] ?? '')) return steps.find((step) => !isQuery(step, own))
  return steps.find((step) => !isHarmless(step, own)) ?? withoutReturn(steps)
}

/** In SQL. */
function isQuery(step: string, own: Own): boolean {
  const from = /^DELETE FROM ([\w"]+) (WHERE .*)$/i.exec(step)
  if (from) return own.tables.has(from[1] ?? '') && onlyReads(from[2] ?? '', own.functions)
  const news = step.replace(/^INSERT INTO news \(server, topic, key\) (?=VALUES )/i, '')
  return (news !== step || /^SELECT /i.test(step)) && onlyReads(news, own.functions)
}

/** What may stand before a step of PL/pgSQL. */
const BEGINS = /^(?:(?:BEGIN|ELSE|IF (.*?) THEN) )+/i

const STEPS: readonly RegExp[] = [
  /^PERFORM /i,
  /^RETURN( NULL| NEW| OLD)?$/i,
  /^RETURN QUERY SELECT /i,
  /^END( IF)?$/i,
]

/** As they stand. */
const KNOWN_STEPS: readonly RegExp[] = [
  /^DECLARE \w+ (TEXT|\w+%ROWTYPE := coalesce\(NEW, OLD\))$/i,
  // A column whose name the trigger gives.
  /^EXECUTE format\('SELECT \(\$1\)\.%I', TG_ARGV\[\d\]\) INTO \w+ USING coalesce\(NEW, OLD\)$/i,
]

function isHarmless(step: string, own: Own): boolean {
  const bare = step.replace(BEGINS, '')
  if (/^DELETE /i.test(bare)) return isQuery(bare, own) && conditionsRead(step, bare, own)
  if (KNOWN_STEPS.some((one) => one.test(bare))) return conditionsRead(step, bare, own)
  return STEPS.some((one) => one.test(bare)) && onlyReads(step, own.functions)
}

const conditionsRead = (step: string, bare: string, own: Own): boolean =>
  onlyReads(step.slice(0, step.length - bare.length), own.functions)

/** A function that ends without one raises. */
const withoutReturn = (steps: readonly string[]): string | undefined =>
  /\bRETURN\b/i.test(steps.at(-2) ?? '') && /^END$/i.test(steps.at(-1) ?? '') ? undefined : steps.at(-1)
