/**
 * Node before 22.14 needs an older SQLite driver, which is downloaded or built here. Never fails: sshawl says at its
 * start what is missing, and a program that embeds it may need no SQLite.
 */
const { spawnSync } = require('node:child_process')
const { existsSync, readFileSync } = require('node:fs')
const { dirname, join } = require('node:path')

const DRIVER = 'better-sqlite3-12'
/** The version of Node-API that the newer driver needs. */
const NEWER_NAPI = 10
/** A compiler's messages exceed the megabyte at which spawnSync would end it. */
const MAX_OUTPUT = 64 * 1024 * 1024

/** The lock file is in no package. */
const isCheckout = existsSync(join(__dirname, 'package-lock.json'))

/** The driver's directory, beside this package or inside; undefined if it is not installed. */
function find() {
  try {
    return dirname(require.resolve(`${DRIVER}/package.json`))
  } catch {
    return undefined
  }
}

/** Why the driver does not load; undefined if it does. In a new process, as Node remembers which packages it did not find. */
function loadError() {
  const code = `require('${DRIVER}')(':memory:').close()`
  const { status, stderr } = spawnSync(process.execPath, ['-e', code], { cwd: __dirname, encoding: 'utf8' })
  return status === 0 ? undefined : (/^\w*Error: .*/m.exec(stderr)?.[0] ?? 'Node crashed as it loaded it')
}

/** Runs npm, with the headers that came with this Node: node-gyp would download them. */
function npm(args, cwd) {
  const prefix = dirname(dirname(process.execPath))
  const env = hasHeaders(prefix) ? { npm_config_nodedir: prefix, ...process.env } : process.env
  return spawnSync('npm', args, { cwd, env, encoding: 'utf8', maxBuffer: MAX_OUTPUT })
}

function hasHeaders(prefix) {
  try {
    const header = readFileSync(join(prefix, 'include/node/node_version.h'), 'utf8')
    const ofHeader = ['MAJOR', 'MINOR', 'PATCH'].map((part) => header.match(`${part}_VERSION (\\d+)`)?.[1])
    return ofHeader.join('.') === process.versions.node
  } catch {
    return false
  }
}

/** The last lines of what npm, node-gyp and the compiler wrote, without their progress and stack traces. */
function lastErrors({ error, stderr }) {
  const lines = (stderr ?? '').split('\n').map((line) => line.replace(/^gyp ERR! (stack )?/, '').trim())
  const noise =
    /^(|gyp (info|verb|WARN) .*|npm (?!error (code|network|request)).*|\$npm_.*|at .*|\w+ error|not ok|(System|command|cwd|node|node-gyp) .*)$/
  const kept = lines.filter((line) => !noise.test(line)).slice(-6)
  return [...(error ? [error.message] : []), ...kept]
}

function install() {
  // npm 10 runs the driver's own script without these headers, and removes the driver when that fails.
  const isMissing = find() === undefined
  if (isMissing && process.env.npm_config_omit?.includes('optional')) return []
  const options = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund']
  const fetched = isMissing && isCheckout ? npm(['install', ...options], __dirname) : {}
  const directory = find()
  if (directory === undefined) return [`${DRIVER} is not installed`, ...lastErrors(fetched)]
  if (loadError() === undefined) return []
  const build = npm(['run', 'install'], directory)
  return build.status === 0 ? [loadError() ?? []].flat() : lastErrors(build)
}

const errors = Number(process.versions.napi) >= NEWER_NAPI ? [] : install()
if (errors.length > 0) {
  const again = find() || isCheckout ? 'To try again' : 'Install sshawl again with --ignore-scripts, then'
  process.stderr.write(
    [
      `sshawl: SQLite could not be built for Node ${process.version}:`,
      ...errors.map((line) => `  ${line}`),
      `${again}: cd ${JSON.stringify(__dirname)} && node postinstall.cjs`,
      '',
    ].join('\n'),
  )
}
