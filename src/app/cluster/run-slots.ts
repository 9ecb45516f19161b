import type { SharedWork, WorkElsewhere } from '../../cluster/work.ts'
import {
  MAX_RUNS_PER_PERSON,
  tooManyRuns,
  type CalledRun,
  type RunSlots,
  type ToolRun,
} from '../../toolbox/run-slots.ts'
import { doingNow, progressNow, reportTo } from './doing.ts'

/** The places of everybody's runs, on all servers together. */
export const sharedRunSlots = (work: Pick<SharedWork, 'take' | 'elsewhere'>): RunSlots => ({
  async take(run, stop) {
    const slot = await work.take(workOf(run), () => ({ running: MAX_RUNS_PER_PERSON, waiting: 0 }), {
      stop,
      lost: () => stop('the server lost the database'),
    })
    if ('running' in slot) throw tooManyRuns(slot.running)
    return { leave: () => void slot.leave(), report: reportTo(slot.tell) }
  },
  elsewhere: (room) => work.elsewhere('run', room).map(runElsewhere),
})

/** What all servers are told of a run. */
type RunFacts = Pick<CalledRun, 'tool' | 'requester'>

const workOf = ({ call: id, room, requesterId: person, tool, requester }: CalledRun) => {
  const facts = { tool, requester } satisfies RunFacts
  return { id, kind: 'run' as const, queue: `run ${person}`, room, person, facts }
}

function runElsewhere(work: WorkElsewhere): ToolRun {
  const { tool, requester } = work.facts as { readonly [Key in keyof RunFacts]: string }
  return {
    isElsewhere: true,
    call: work.id,
    room: work.room,
    tool,
    requester,
    requesterId: work.person,
    doing: () => doingNow(work, tool),
    progress: () => progressNow(work),
    since: () => work.startedAt,
    cancel: work.stop,
    done: work.ended,
  }
}
