import { setTimeout as pause } from 'node:timers/promises'
import type { LoadSession } from '../../support/load/client.ts'
import { createEmulator } from '../../support/terminal.ts'

/** Somebody who types a draft and never sends it, on an emulated screen. */
export interface Drafter {
  onData(bytes: Buffer): void
  /** Types until told to stop; resolves to what was looked at. */
  type(
    session: LoadSession,
    isOver: () => boolean,
  ): Promise<{ readonly looks: number; readonly torn: readonly string[] }>
}

const KEY_EVERY_MS = 120
const MAX_DRAFT_UNITS = 60
/** The echo of the last key may take so long before the draft counts as torn. */
const ECHO_MS = 1500
const LETTERS = 'the quick brown fox jumps over the lazy dog and then some more '

export function createDrafter(): Drafter {
  const emulator = createEmulator()
  let written: Promise<void> = Promise.resolve()
  let pending: Buffer[] = []
  // A character may be cut between two packets, so bytes are kept until they end well: the emulator takes text.
  const decoder = new TextDecoder()
  const draftOnScreen = async (): Promise<string | undefined> => {
    for (const bytes of pending.splice(0)) written = emulator.write(decoder.decode(bytes, { stream: true }))
    await written
    return emulator.screen().findLast((row) => row.startsWith('>'))
  }
  /** Whether the screen has the draft in the end; before that it may have any beginning of it. */
  async function look(typed: string): Promise<string | undefined> {
    const overAt = performance.now() + ECHO_MS
    for (;;) {
      const row = (await draftOnScreen()) ?? ''
      const shown = row.slice(2)
      if (shown === typed.trimEnd()) return undefined
      if (!typed.startsWith(shown)) return `"${row}" where "${typed}" was typed`
      if (performance.now() > overAt) return `still "${row}" where "${typed}" was typed`
      await pause(20)
    }
  }
  return {
    onData: (bytes) => void pending.push(bytes),
    async type(session, isOver) {
      const torn: string[] = []
      let typed = ''
      let looks = 0
      while (!isOver()) {
        if (typed.length >= MAX_DRAFT_UNITS) session.channel.write('\u0015')
        if (typed.length >= MAX_DRAFT_UNITS) typed = ''
        const letter = LETTERS[typed.length % LETTERS.length]!
        session.channel.write(letter)
        typed += letter
        await pause(KEY_EVERY_MS)
        const wrong = await look(typed)
        looks += 1
        if (wrong !== undefined) torn.push(wrong)
      }
      return { looks, torn }
    },
  }
}
