import { createDecayingSums } from './decaying-sums.ts'

/** Who is served by a request, and who pays for it. */
export interface ComposerAccount {
  /** Has at most one process at a time: a room, or a person who checks a script. */
  readonly owner: string
  /** To whom its processor time is put down, and the loss of a process. */
  readonly payers: readonly string[]
}

/**
 * A prompt of a room is at the cost of the room, whose script runs, and of the person who calls the model.
 */
export const promptAccount = (room: string, person: string): ComposerAccount => ({
  owner: `room ${room}`,
  payers: [`room ${room}`, `person ${person}`],
})

/**
 * A hook is at the cost of the room whose script has it, and of who wrote it: nobody else chose to run it.
 */
export const hookAccount = (room: string, author: string): ComposerAccount => ({
  owner: `room ${room}`,
  payers: [`room ${room}`, `person ${author}`],
})

/** A check of a script is at the cost of the person alone, so that no room waits for it. */
export const checkAccount = (person: string): ComposerAccount => ({
  owner: `person ${person}`,
  payers: [`person ${person}`],
})

/** The server's own work, which nobody pays for. */
export const ownAccount = (what: string): ComposerAccount => ({ owner: what, payers: [] })

/** Processor time that is this old counts half. */
const SPENT_HALF_LIFE_MS = 30_000

/** The loss of a process counts half after this time. */
const SUSPICION_HALF_LIFE_MS = 60_000

/** Losses of one payer that are remembered: six minutes of suspicion. */
const MAX_SUSPICION = 16

/** With one loss, somebody is suspect for two half-lives. */
const MIN_SUSPICION = 0.25

/** What rooms and people have cost lately. */
export interface Accounts {
  /** Milliseconds of processor time of the payer who spent most. Who spends most waits most. */
  load(account: ComposerAccount): number
  spend(account: ComposerAccount, cpuMs: number): void
  /** Puts down that a process was lost. */
  suspect(account: ComposerAccount): void
  /**
   * True where a payer has cost a process in the last minutes. A script that hangs only now and then succeeds
   * in between, so success ends no suspicion; time does.
   */
  isSuspect(account: ComposerAccount): boolean
}

export function createAccounts(): Accounts {
  const spent = createDecayingSums({ halfLifeMs: SPENT_HALF_LIFE_MS })
  const suspicion = createDecayingSums({ halfLifeMs: SUSPICION_HALF_LIFE_MS, most: MAX_SUSPICION })
  return {
    load: ({ payers }) => Math.max(0, ...payers.map((payer) => spent.of(payer))),
    spend(account, cpuMs) {
      for (const payer of account.payers) spent.add(payer, cpuMs)
    },
    suspect(account) {
      for (const payer of account.payers) suspicion.add(payer, 1)
    },
    isSuspect: ({ payers }) => payers.some((payer) => suspicion.of(payer) >= MIN_SUSPICION),
  }
}
