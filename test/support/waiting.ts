/** Lets tests wait until something is so. It is looked at right away, and whenever `changed` is called. */
export function createWaiting() {
  const waiting = new Set<() => void>()
  return {
    changed(): void {
      for (const look of waiting) look()
    },
    /** Resolves with the first value that is neither undefined nor false. */
    until<T>(find: () => T | undefined | false): Promise<T> {
      return new Promise((resolve) => {
        const look = (): void => {
          const found = find()
          if (found === undefined || found === false) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      })
    },
  }
}
