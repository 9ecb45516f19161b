/** Keeps a room subscribed to what happens in it for as long as somebody hears it. */
export function createHearing(subscribe: () => () => void) {
  const hearers = new Set<object>()
  let unsubscribe: (() => void) | undefined
  return {
    begin(hearer: object): void {
      hearers.add(hearer)
      unsubscribe ??= subscribe()
    },
    end(hearer: object): void {
      hearers.delete(hearer)
      if (hearers.size > 0) return
      unsubscribe?.()
      unsubscribe = undefined
    },
  }
}
