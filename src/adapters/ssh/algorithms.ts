import type { Algorithms } from 'ssh2'

/**
 * What we negotiate: of ssh2's list only what OpenSSH 9 still prefers. Authenticated ciphers, or CTR with
 * encrypt-then-MAC; no SHA-1, no CBC, no finite-field groups, no NIST curves; no compression, which is a
 * way to make the server allocate. ssh2 adds strict key exchange (against CVE-2023-48795) by itself.
 */
export const ALGORITHMS: Algorithms = {
  kex: ['curve25519-sha256', 'curve25519-sha256@libssh.org'],
  serverHostKey: ['ssh-ed25519', 'rsa-sha2-512', 'rsa-sha2-256'],
  cipher: [
    'chacha20-poly1305@openssh.com',
    'aes256-gcm@openssh.com',
    'aes128-gcm@openssh.com',
    'aes256-ctr',
    'aes128-ctr',
  ],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com'],
  compress: ['none'],
}
