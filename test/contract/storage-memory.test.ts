import { describe } from 'vitest'
import { openStorage } from '../../src/storage/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { sqliteOptions } from '../support/storage.ts'
import { entriesExam, recordsExam } from './storage-exam.ts'

const ENGINE = 'SQLite in memory, in the thread of its caller'

const open = (): Promise<Storage> => openStorage({ ...sqliteOptions(''), file: ':memory:' })

describe('entries', () => entriesExam(ENGINE, open))
describe('records', () => recordsExam(ENGINE, open))
