import { build } from 'rolldown'
import programs from '../../rolldown.config.ts'
import testPrograms from '../rolldown.config.ts'
import { requireSsh } from './needs.ts'

/**
 * Real processes run the built program, so every test run begins with a build (a second or so). It does not look at
 * types: `npm run check` is there for those. `TEST_BUILT=yes` says that there is one: for runs beside each
 * other.
 */
export async function setup(): Promise<void> {
  requireSsh()
  if (process.env['TEST_BUILT'] === 'yes') return
  await build(programs)
  await build(testPrograms)
}
