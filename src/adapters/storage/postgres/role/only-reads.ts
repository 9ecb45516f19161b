import type { StorageError } from '../../../../chat/errors.ts'
import { type LoginRole, settingAdvice } from './settings.ts'
import { lack } from './trouble.ts'

/** The database takes no writes of the role, whatever its rights are. */
export function onlyReads(role: LoginRole): StorageError | undefined {
  if (role.isStandby)
    return lack('the database is a standby, which only reads; name the primary server in [storage] url')
  if (!role.onlyReads) return undefined
  // Whoever runs it there may only read by default, too.
  const advice = settingAdvice(role, 'default_transaction_read_only', 'off').replace(
    /^run there: (.*)$/,
    'run there: BEGIN READ WRITE; $1; COMMIT',
  )
  return lack(
    `the database only reads: default_transaction_read_only is on for the role ${role.name}; ${advice}`,
  )
}
