import { describe } from 'vitest'
import { openWorkspace, sandbox } from '../support/workspace.ts'
import { workspaceExam } from './workspace-exam.ts'

describe.skipIf(!sandbox.works)('', () => {
  workspaceExam('in bubblewrap', () =>
    openWorkspace({ mode: 'bubblewrap', limits: { fileBytes: 1024 * 1024, memoryBytes: 128 * 1024 * 1024 } }),
  )
})
