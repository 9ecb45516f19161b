import type { Fingerprint } from '../chat/people/person.ts'
import type { Loans } from '../chat/people/loans.ts'
import type { Log } from '../chat/ports.ts'
import type { LoanStore, News } from './stores.ts'

/** The loans of other servers, kept as the database has them. */
export interface SharedLoans extends Loans {
  /** Reads them, and follows them. Rejects with `StorageError`. */
  readAgain(): Promise<void>
}

export function createSharedLoans(
  loans: LoanStore,
  news: Pick<News, 'on'>,
  log: Pick<Log, 'warn'>,
): SharedLoans {
  let holders = new Map<string, Fingerprint>()
  news.on('loans', async (keys: readonly string[]) => {
    const skeletons = keys.flatMap((key) => key.split('\n'))
    const rows = await loans.elsewhere(skeletons)
    for (const skeleton of skeletons) holders.delete(skeleton)
    for (const { skeleton, key } of rows) holders.set(skeleton, key)
  })
  return {
    lend: (loan) => loans.lend(loan),
    lentBefore: (asked, key) => loans.lentBefore(asked, key),
    forget: (skeleton) =>
      void loans
        .forget(skeleton)
        .catch((error: unknown) => log.warn({ error }, 'a name that was forgotten is still lent')),
    holderOf: (skeleton) => holders.get(skeleton),
    async readAgain() {
      const rows = await loans.elsewhere()
      holders = new Map(rows.map(({ skeleton, key }) => [skeleton, key]))
    },
  }
}
