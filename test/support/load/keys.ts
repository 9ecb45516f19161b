import ssh2 from 'ssh2'

const keys = new Map<string, string>()

/** The key of that name, as PEM text: made at first use, the same for as long as the process lives. */
export function keyOf(name: string): string {
  const key = keys.get(name) ?? makeKey()
  keys.set(name, key)
  return key
}

export const makeKey = (): string => makeKeyPair().private

/** A new ed25519 key and its public half, as files have them. ssh2 1.17 makes one in some hundred that it cannot read itself, so each is tried. */
export function makeKeyPair(comment = ''): { readonly private: string; readonly public: string } {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync('ed25519', { comment })
    if (!(ssh2.utils.parseKey(pair.private) instanceof Error)) return pair
  }
}
