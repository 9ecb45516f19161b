/** The SSH server: connections, logins, channels, SFTP. Passes input to a session, and knows no room. */
export { type HostKey, loadHostKeys, readNamedHostKeys } from './keys/host-keys.ts'
export { fingerprintOf, readKeyLine } from './keys/public-key.ts'
export { SshServer } from './server.ts'
