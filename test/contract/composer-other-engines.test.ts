import { ENGINE_NAMES } from '../../src/wrap/lua/engines.ts'
import { composerExam, poolOf } from './composer-exam.ts'

for (const engine of ENGINE_NAMES.slice(1)) composerExam(`of wrap processes with ${engine}`, poolOf(engine))
