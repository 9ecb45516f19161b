import type { RunningWork } from './ports.ts'

/** Says in words, once each, that a model begins to think or has to wait: for those who are shown no status line. */
interface SpokenWork {
  /** The lines that are new since it was last asked. */
  lines(running: readonly RunningWork[]): readonly string[]
}

export function createSpokenWork(): SpokenWork {
  /** How many quarters of a call were said to be done. */
  let quarters: ReadonlyMap<string, number> = new Map()
  /** What was said of each. */
  let said: ReadonlyMap<string, string> = new Map()

  /** Says of a tool that tells how far it is each quarter that it has reached, however often it tells. */
  function further(running: readonly RunningWork[]): readonly string[] {
    const before = quarters
    const now = running.flatMap((work) =>
      work.progress?.share === undefined ? [] : [{ work, quarter: Math.floor(work.progress.share * 4) }],
    )
    quarters = new Map(now.map(({ work, quarter }) => [keyOf(work), quarter]))
    return now.flatMap(({ work, quarter }) =>
      quarter > (before.get(keyOf(work)) ?? 0) ? [`-- ${work.doing} is ${quarter * 25}% done`] : [],
    )
  }

  return {
    lines(running) {
      const before = said
      said = new Map(running.map((work) => [work.id, sentence(work)]))
      const begun = [...said].filter(([id, text]) => text !== '' && before.get(id) !== text)
      return [...begun.map(([, text]) => `-- ${text}`), ...further(running)]
    },
  }
}

/** A person's own tool run is in the log, in words, as it begins. */
function sentence({ who, doing }: RunningWork): string {
  if (!who.startsWith('@')) return ''
  const name = who.slice(1)
  return doing === 'waiting' ? `${name} waits until other models are done` : `${name} is thinking`
}

/** A turn may have several calls, one after the other. */
const keyOf = ({ id, doing }: RunningWork): string => `${id} ${doing}`
