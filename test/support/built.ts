import { join } from 'node:path'
import { paths } from '../../src/base/paths.ts'

/** The file of a program that `build.ts` has joined: plain Node runs it, and compiles nothing in each process. */
export const built = (name: string): string => join(paths.root, 'test/.built', `${name}.js`)
