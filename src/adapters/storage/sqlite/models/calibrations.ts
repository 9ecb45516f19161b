// What is stored of models: factors between our count of tokens and theirs, and what their servers told. It must not know
// what a factor is used for.

import type { Calibration, CalibrationStore } from '../../../../prompt/ports.ts'
import type { Connection } from '../connection.ts'

/** Factors by model. */
export function createCalibrationStore({ db, read, write }: Connection): CalibrationStore {
  const find = db.prepare<[string], Calibration>(
    'SELECT factor, reports, doubted, at, most, most_at AS mostAt FROM calibrations WHERE model = ?',
  )
  const put = db.prepare<[Calibration & { readonly model: string }]>(
    `INSERT INTO calibrations (model, factor, reports, doubted, at, most, most_at)
     VALUES (@model, @factor, @reports, @doubted, @at, @most, @mostAt)
     ON CONFLICT DO UPDATE SET factor = excluded.factor, reports = excluded.reports,
       doubted = excluded.doubted, at = excluded.at, most = excluded.most, most_at = excluded.most_at`,
  )
  return {
    find: (model) => read(() => find.get(model)),
    put: (model, calibration) => write(() => void put.run({ ...calibration, model })),
  }
}
