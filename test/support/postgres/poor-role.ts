import { auditDatabase, damageOf, openStorage } from '../../../src/adapters/storage/open.ts'
import { paths } from '../../../src/app/paths.ts'
import { StorageError } from '../../../src/chat/errors.ts'
import { idOf } from '../../contract/storage/cast.ts'
import { message } from '../storage.ts'
import { postgresOptions, type TestDatabase } from './databases.ts'

/** A role of a database, and the database's name. */
interface PoorRole {
  readonly role: string
  readonly name: string
  /** Of the database, for the role. */
  readonly url: string
}

/** A role that has what a server needs, and no more. */
export async function poorRole(database: TestDatabase): Promise<PoorRole> {
  const role = database.role('poor')
  const name = new URL(database.url).pathname.slice(1)
  await database.send(`
    CREATE ROLE ${role} LOGIN; REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC; GRANT CONNECT ON DATABASE ${name} TO ${role};
    REVOKE USAGE ON SCHEMA public FROM PUBLIC; GRANT USAGE ON SCHEMA public TO ${role};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`)
  return { role, name, url: Object.assign(new URL(database.url), { username: role }).toString() }
}

let entries = 0

/** What a server does first with a database, and most. */
async function use(url: string): Promise<void> {
  await using storage = await openStorage(postgresOptions({ url }))
  await storage.chat.log.append(message(idOf(++entries), 'lobby', 'said'))
  await storage.upkeep.health()
}

async function told(work: Promise<unknown>): Promise<string> {
  const failure: unknown = await work.catch((error: unknown) => error)
  return failure instanceof StorageError ? failure.forOperators : ''
}

/** The facts of what a server that opens it logs as an error. */
export async function logged(url: string): Promise<readonly object[]> {
  const errors: object[] = []
  const options = postgresOptions({ url })
  const log = { ...options.log, error: (facts: object) => void errors.push(facts) }
  await (await openStorage({ ...options, log }))[Symbol.asyncDispose]()
  return errors
}

/** What a check says of it; nothing where it is fit. */
export const looked = (url: string): Promise<string> => told(damageOf(url, paths.migrations))

/** What an audit ends with. */
export const audited = (url: string): Promise<string> => told(auditDatabase(url, paths.migrations, 0))

/** What a server ends with, or what keeps it from its work. */
export const used = (url: string): Promise<string> => told(use(url))

/** The statements of a sentence that says what to run. */
export const advised = (sentence: string): string => sentence.replace(/^.* run there: /, '')
