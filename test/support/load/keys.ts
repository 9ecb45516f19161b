import ssh2 from 'ssh2'

const keys = new Map<string, string>()

/** The key of that name, as PEM text: made at first use, the same for as long as the process lives. */
export function keyOf(name: string): string {
  const key = keys.get(name) ?? makeKey()
  keys.set(name, key)
  return key
}

/** A new ed25519 key. ssh2 1.17 makes one in some hundred that it cannot read itself, so each is tried. */
export function makeKey(): string {
  for (;;) {
    const { private: key } = ssh2.utils.generateKeyPairSync('ed25519')
    if (!(ssh2.utils.parseKey(key) instanceof Error)) return key
  }
}
