/** Workspaces of rooms and the programs that run in them. Knows no room but by its name, and no model. */
export { coverInherited, inheritedDescriptors } from './inherited.ts'
export { launchSpeaking } from './launch.ts'
export { removeOldFiles } from './old-files.ts'
export { openWorkspace } from './open-workspace.ts'
export { NO_PROCESS_LIMIT, describeSandbox, hasProcessLimit, probeSandbox } from './probe.ts'
export { type RoomWorkspaces, createWorkspaces } from './workspaces.ts'
