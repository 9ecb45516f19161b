import { existsSync, realpathSync } from 'node:fs'

/** The file that a link leads to: beside that one SQLite has its log, and beside that one is our lock. A path with nothing there stays. */
export const realFile = (file: string): string => (existsSync(file) ? realpathSync(file) : file)
