import type { Connections } from '../connection.ts'
import { roleOf, settingAdvice } from './settings.ts'

/** What a server has of connections at most: its own, and those that listen. */
const WANTED = 14

/** A sentence for each thing with which a server starts, and serves worse. */
export async function weaknessesOf(connection: Connections): Promise<readonly string[]> {
  const role = await roleOf(connection)
  return [
    ...(role.connections !== null && role.connections < WANTED
      ? [
          `the role ${role.name} may have ${role.connections} connections, and a server has up to ${WANTED}: it does not start, or refuses lines when much is said; raise CONNECTION LIMIT of the role, or of the database`,
        ]
      : []),
    ...(role.forgets
      ? [
          `synchronous_commit is off for the role ${role.name}: what was acknowledged is lost when PostgreSQL crashes; ${settingAdvice(role, 'synchronous_commit', 'on')}`,
        ]
      : []),
  ]
}
