import { execa } from 'execa'

/** Real processes run the built program, so every test run begins with a build (a second or so). */
export async function setup(): Promise<void> {
  await execa('npx', ['tsc'], { cwd: new URL('../..', import.meta.url).pathname, stdio: 'inherit' })
}
