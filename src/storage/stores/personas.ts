import { type RawBuilder, sql } from 'kysely'
import { parseJson } from '../../base/json.ts'
import type { PersonaStore, StoredPersona } from '../../turns/index.ts'
import type { RoomName } from '../../words/entry.ts'
import { type Database, integer, requireRow, select } from '../database.ts'
import { numbersOf } from '../locks.ts'
import type { Tables } from '../tables.ts'

type PersonaRow = Tables['room_personas']

/** SQL of the newest version of each persona of a room that was not removed. */
export const currentPersonas = (room: RoomName): RawBuilder<PersonaRow> => sql<PersonaRow>`
  SELECT * FROM room_personas AS one WHERE room = ${room} AND text <> '' AND version =
    (SELECT max(version) FROM room_personas WHERE room = one.room AND name = one.name)`

export function createPersonaStore(database: Database): PersonaStore {
  const { write } = database.writes()
  return {
    current: async (room) =>
      (await select(database, sql<PersonaRow>`${currentPersonas(room)} ORDER BY name`)).map(toPersona),
    versions: async (room) => {
      const all = sql<PersonaRow>`
        SELECT * FROM room_personas WHERE room = ${room} ORDER BY name, version DESC`
      return (await select(database, all)).map(toPersona)
    },
    put: ({ room, name, model, text, tools, author, at }, most) =>
      write(async (db) => {
        const { rows: others } = await sql`
          SELECT name FROM (${currentPersonas(room)}) AS one WHERE name <> ${name}`.execute(db)
        if (text !== '' && others.length >= most) return 'full'
        const patterns = tools && JSON.stringify(tools)
        const { rows } = await sql<PersonaRow>`
          INSERT INTO room_personas (room, name, version, model, text, tools, author, at)
          SELECT ${room}, ${name}, coalesce(max(version), 0) + 1, ${model}, ${text}, cast(${patterns} as text),
            ${author}, ${integer(at)}
          FROM room_personas WHERE room = ${room} AND name = ${name} RETURNING *`.execute(db)
        return toPersona(requireRow(rows[0]))
      }, numbersOf(room)),
  }
}

const toPersona = ({ tools, ...row }: PersonaRow): StoredPersona => ({
  ...row,
  tools: tools === null ? null : (parseJson(tools) as readonly string[]),
})
