import { execa } from 'execa'
import { requireSsh } from './needs.ts'

/**
 * Real processes run the built program, so every test run begins with a build (a second or so). A type error
 * does not stop it: `npm run check` is there for those, and what cannot be built fails its own tests.
 */
export async function setup(): Promise<void> {
  requireSsh()
  await execa('npx', ['tsc'], { cwd: new URL('../..', import.meta.url).pathname, reject: false })
}
