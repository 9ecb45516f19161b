import { expect, test } from 'vitest'
import { openFile } from '../../../../src/adapters/storage/sqlite/driver.ts'
import { TABLES_OF_ROOMS } from '../../../../src/adapters/storage/stores/room-names.ts'
import { emptyDatabase } from '../../../support/storage.ts'

test('every table with a column room follows when a room is renamed', () => {
  using file = openFile(emptyDatabase())
  const tables = file
    .prepare(
      `SELECT tables.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND columns.name = 'room' ORDER BY tables.name`,
    )
    .pluck()
    .all()
  expect([...TABLES_OF_ROOMS].toSorted()).toEqual(tables)
})
