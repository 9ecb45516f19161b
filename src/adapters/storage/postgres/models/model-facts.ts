import type { ModelFactsStore, StoredFacts } from '../../../../turns/ports.ts'
import type { Connections } from '../connection.ts'
import { sql } from '../sql.ts'

/** What is known of models, by model. */
export function createModelFactsStore({ read, writeQueue }: Connections): ModelFactsStore {
  const writes = writeQueue()
  return {
    async find(model) {
      const row = await read.get<{ facts: string }>(sql`SELECT facts FROM model_facts WHERE model = ${model}`)
      return row && (JSON.parse(row.facts) as StoredFacts)
    },
    async put(model, facts) {
      await writes.run(sql`
        INSERT INTO model_facts (model, facts) VALUES (${model}, ${JSON.stringify(facts)})
        ON CONFLICT (model) DO UPDATE SET facts = excluded.facts`)
    },
  }
}
