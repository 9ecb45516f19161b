/** Connections that are not logged in, from their first moment on: those that are delayed, that wait, that are served, or that are refused. */
export interface Held {
  /** Counts one more; `giveWay` closes it. Of too many from one network the oldest gives way. The function returned takes it out again. */
  add(network: string, giveWay: () => void): () => void
  /** The oldest from the network that has the most gives way. False where there is none. */
  relieve(): boolean
}

/** `perNetwork` is asked each time. */
export function createHeld(perNetwork: () => number): Held {
  /** Those of each network, in order of age. */
  const networks = new Map<string, Set<() => void>>()

  function remove(network: string, giveWay: () => void): void {
    const all = networks.get(network)
    all?.delete(giveWay)
    if (all?.size === 0) networks.delete(network)
  }

  function send(network: string): boolean {
    const [oldest] = networks.get(network) ?? []
    if (!oldest) return false
    remove(network, oldest)
    oldest()
    return true
  }

  return {
    add(network, giveWay) {
      const one = (): void => giveWay()
      const all = networks.get(network) ?? new Set()
      networks.set(network, all.add(one))
      if (all.size > perNetwork()) send(network)
      return () => remove(network, one)
    },
    relieve() {
      let most: readonly [string, number] = ['', 0]
      for (const [network, { size }] of networks) if (size > most[1]) most = [network, size]
      return send(most[0])
    },
  }
}
