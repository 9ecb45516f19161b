import { openWorkspace } from '../support/workspace.ts'
import { workspaceExam } from './workspace-exam.ts'

workspaceExam('without a sandbox', () =>
  openWorkspace({ limits: { fileBytes: 1024 * 1024, memoryBytes: 128 * 1024 * 1024 } }),
)
