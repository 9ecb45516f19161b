import type { PermissionProvider } from '../tools/tool.ts'

/** Nobody is asked and nothing is allowed: what holds for models until people can answer in the room. */
export const denyAll = (): PermissionProvider => ({
  request: () => Promise.resolve('deny'),
})
