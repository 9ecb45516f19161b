import { openInThreads } from '../support/storage.ts'
import { entriesExam } from './storage-exam.ts'

entriesExam('an SQLite file in threads', openInThreads)
