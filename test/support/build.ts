import { build } from 'rolldown'
import programs from '../../rolldown.config.ts'
import { requireSsh } from './needs.ts'

/**
 * Real processes run the built program, so every test run begins with a build (a second or so). It does not look at
 * types: `npm run check` is there for those.
 */
export async function setup(): Promise<void> {
  requireSsh()
  await build(programs)
}
