import { createHash } from 'node:crypto'
import ssh2 from 'ssh2'
import { keyOf } from '../support/load/keys.ts'

/** The fingerprint of somebody's key, as `[server] admins` takes it. */
export function adminKey(name: string): string {
  const key = ssh2.utils.parseKey(keyOf(name))
  if (key instanceof Error) throw key
  return `SHA256:${createHash('sha256').update(key.getPublicSSH()).digest('base64').replace(/=+$/, '')}`
}
