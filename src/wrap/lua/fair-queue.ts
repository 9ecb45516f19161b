export interface FairJob {
  /** The person, or the server's own task, that takes turns with others. */
  readonly turn: string
  /** The room and the person. Each has at most one process at a time, and is blamed for a lost process. */
  readonly payers: readonly string[]
}

/** A queue of turns, so that everybody waits for at most one job of each other person at a time. */
export class FairQueue<J extends FairJob> {
  /** Jobs by turn; the turn that was served last is last. */
  readonly #lines = new Map<string, J[]>()

  add(job: J): void {
    const line = this.#lines.get(job.turn)
    if (line) line.push(job)
    else this.#lines.set(job.turn, [job])
  }

  remove(job: J): void {
    const line = this.#lines.get(job.turn)?.filter((each) => each !== job) ?? []
    if (line.length > 0) this.#lines.set(job.turn, line)
    else this.#lines.delete(job.turn)
  }

  take(mayServe: (job: J) => boolean): J | undefined {
    const job = this.all().find(mayServe)
    if (!job) return undefined
    this.remove(job)
    const rest = this.#lines.get(job.turn)
    this.#lines.delete(job.turn)
    if (rest) this.#lines.set(job.turn, rest)
    return job
  }

  all(): readonly J[] {
    return [...this.#lines.values()].flat()
  }

  drain(): readonly J[] {
    const all = this.all()
    this.#lines.clear()
    return all
  }
}

const SUSPECT_MS = 120_000

/** Payers who lost a process in the last two minutes, whatever succeeded since: a hang may be occasional. */
export class Suspects {
  readonly #until = new Map<string, number>()

  add({ payers }: FairJob): void {
    const now = performance.now()
    for (const [payer, until] of this.#until) if (until < now) this.#until.delete(payer)
    for (const payer of payers) this.#until.set(payer, now + SUSPECT_MS)
  }

  has({ payers }: FairJob): boolean {
    return payers.some((payer) => (this.#until.get(payer) ?? 0) > performance.now())
  }
}
