import { readFileSync } from 'node:fs'
import { paths } from './paths.ts'

/** The version of this program, from its package. */
export const version = (): string =>
  (JSON.parse(readFileSync(paths.packageJson, 'utf8')) as { version: string }).version
