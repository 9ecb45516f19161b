import { createRequire } from 'node:module'
import type Database from 'better-sqlite3'
import { StorageError } from '../../words/errors.ts'
import { errorMessage } from '../../base/errors.ts'

/** An optional dependency in package.json, and advice for people if it cannot be loaded. */
interface Driver {
  readonly name: string
  readonly cure: string
}

/** Binaries come in the package, on Linux for glibc 2.34 and later and for musl. It crashes on Node 20. */
const ON_NODE_API_10: Driver = {
  name: 'better-sqlite3',
  cure: 'install sshawl again (npm ci, or npm install --global), without --omit=optional, or build it for this system: npm run build-release in its directory',
}

/** It is compiled if no binary can be downloaded. It aborts on Node 24.19 and later. */
const BEFORE_NODE_API_10: Driver = {
  name: 'better-sqlite3-12',
  cure: 'run node postinstall.cjs in the directory of sshawl, which builds it with a C++ compiler, make and Python 3 or says what fails, install sshawl again (npm ci, or npm install --global) without --omit=optional, or use Node 22.14 or later, which needs none of these',
}

/**
 * The first call loads the better-sqlite3 that this Node can run. Throws `StorageError` if that fails, and
 * otherwise what SQLite throws. `:memory:`, or a database's bytes, open one that ends with the process.
 */
export function openFile(
  file: string | Buffer,
  options: Database.Options = {},
): Database.Database & Disposable {
  const db = new (loadDriver())(file, options)
  return Object.assign(db, { [Symbol.dispose]: () => void db.close() })
}

function loadDriver(): typeof Database {
  const { name, cure } = Number(process.versions['napi']) >= 10 ? ON_NODE_API_10 : BEFORE_NODE_API_10
  try {
    const driver = createRequire(import.meta.url)(name) as typeof Database
    // The package loads its binary with the first database.
    new driver(':memory:').close()
    return driver
  } catch (cause) {
    const reason = errorMessage(cause).split('\n', 1).join('')
    throw new StorageError(
      'other',
      `${name}, which reads and writes the database, cannot be loaded by Node ${process.version} (${reason}); ${cure}`,
      { cause },
    )
  }
}
