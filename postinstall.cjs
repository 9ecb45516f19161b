/**
 * Node before 22 needs an older SQLite driver, which has no binary for every machine: where it does not load, it is built
 * or downloaded. Never fails: sshawl then says at its start what is missing, and whoever only embeds it needs no SQLite.
 */
const { spawnSync } = require('node:child_process')
const { dirname } = require('node:path')

const DRIVER = 'better-sqlite3-12'
/** The version of Node-API that the newer driver needs. */
const NEWER_NAPI = 10

/** Wherever npm has put it: beside this package, or inside. */
function find() {
  try {
    return dirname(require.resolve(`${DRIVER}/package.json`))
  } catch {
    return undefined
  }
}

function loads() {
  try {
    require(DRIVER)(':memory:').close()
    return true
  } catch {
    return false
  }
}

const directory = Number(process.versions.napi) >= NEWER_NAPI ? undefined : find()
if (directory !== undefined && !loads()) {
  const built = spawnSync('npm', ['run', '--silent', 'install'], { cwd: directory, stdio: 'ignore' })
  if (built.status !== 0)
    process.stderr.write(`sshawl: SQLite could not be built for this Node; npm rebuild ${DRIVER} says why\n`)
}
