// What is stored of models: factors between our count of tokens and theirs, and what their servers told. It must not know
// what a factor is used for.

import type { Calibration, CalibrationStore } from '../../../../prompt/ports.ts'
import type { Connections } from '../connection.ts'
import { sql } from '../sql.ts'

/** Factors by model. */
export function createCalibrationStore({ read, writeQueue }: Connections): CalibrationStore {
  const writes = writeQueue()
  return {
    find: (model) =>
      read.get<Calibration>(sql`
        SELECT factor, reports, doubted, at, most, most_at AS "mostAt" FROM calibrations WHERE model = ${model}`),
    async put(model, { factor, reports, doubted, at, most, mostAt }) {
      await writes.run(sql`
        INSERT INTO calibrations (model, factor, reports, doubted, at, most, most_at)
        VALUES (${model}, ${factor}, ${reports}, ${doubted}, ${at}, ${most}, ${mostAt})
        ON CONFLICT (model) DO UPDATE SET factor = excluded.factor, reports = excluded.reports,
          doubted = excluded.doubted, at = excluded.at, most = excluded.most, most_at = excluded.most_at`)
    },
  }
}
