import type { RunningWork } from './ports.ts'

/** Says in words, once each, that a model begins to think or has to wait: for those who are shown no status line. */
export interface SpokenWork {
  /** The lines that are new since it was last asked. */
  lines(running: readonly RunningWork[]): readonly string[]
}

export function createSpokenWork(): SpokenWork {
  /** What was said of each. */
  let said: ReadonlyMap<string, string> = new Map()
  return {
    lines(running) {
      const before = said
      said = new Map(running.map((work) => [work.id, sentence(work)]))
      return [...said].flatMap(([id, text]) => (text === '' || before.get(id) === text ? [] : [`-- ${text}`]))
    },
  }
}

/** A person's own tool run is in the log, in words, as it begins. */
function sentence({ who, doing }: RunningWork): string {
  if (!who.startsWith('@')) return ''
  const name = who.slice(1)
  return doing === 'waiting' ? `${name} waits until other models are done` : `${name} is thinking`
}
