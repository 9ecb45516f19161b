import type { ModelFactsStore, StoredFacts } from '../../../../turns/ports.ts'
import type { Connection } from '../connection.ts'

/** What is known of models, by model. */
export function createModelFactsStore({ db, read, write }: Connection): ModelFactsStore {
  const find = db.prepare<[string], { readonly facts: string }>(
    'SELECT facts FROM model_facts WHERE model = ?',
  )
  const put = db.prepare<[{ readonly model: string; readonly facts: string }]>(
    `INSERT INTO model_facts (model, facts) VALUES (@model, @facts)
     ON CONFLICT DO UPDATE SET facts = excluded.facts`,
  )
  return {
    find: (model) =>
      read(() => {
        const row = find.get(model)
        return row && (JSON.parse(row.facts) as StoredFacts)
      }),
    put: (model, facts) => write(() => void put.run({ model, facts: JSON.stringify(facts) })),
  }
}
