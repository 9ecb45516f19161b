import { ENGINE_NAMES } from '../../src/wrap/lua/engines.ts'
import { localComposer } from '../support/composer.ts'
import { composerExam, poolOf } from './composer-exam.ts'

for (const usual of ENGINE_NAMES.slice(0, 1)) composerExam(`of wrap processes with ${usual}`, poolOf(usual))

// Tests of turns compose with it: it must do what the real one does.
composerExam('in the process of a test', localComposer)
