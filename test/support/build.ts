import { build } from 'rolldown'
import programs from '../../rolldown.config.ts'
import { testPrograms } from '../rolldown.config.ts'
import { requireSsh } from './needs.ts'

/**
 * Real processes run the built program, so every test run begins with a build (a second or so). It does not look at
 * types: `npm run check` is there for those.
 */
export async function setup(): Promise<void> {
  requireSsh()
  await build(programs)
  await build(testPrograms(children))
}

/** What tests start as processes of their own; `built` says where they are then. */
const children = {
  'append-many': 'test/support/postgres/append-many.ts',
  'append-until-killed': 'test/support/append-until-killed.ts',
  'mcp-driver': 'test/support/mcp/driver.ts',
  'nats-probe': 'test/support/nats-probe.ts',
}
