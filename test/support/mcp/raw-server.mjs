/**
 * An MCP server in JSON lines, without any library, so that it can do what no library would. Its first argument says how it
 * behaves; `state` files let a test change it while it runs.
 */
import { readFileSync, watch } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { createInterface } from 'node:readline'

const [behaviour = 'usual', file = ''] = process.argv.slice(2)

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const said = (id, text) => send({ id, result: { content: [{ type: 'text', text }] } })
const progress = (progressToken, told) =>
  send({ method: 'notifications/progress', params: { progressToken, ...told } })
const tool = (name, more = {}) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
  ...more,
})

const CYCLE = {
  type: 'object',
  properties: { next: { $ref: '#' }, other: { $ref: '#/$defs/a' } },
  $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
}

/** Tools from a file, which a test may write anew. */
const listed = () => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    // There is none, or it is being written.
    return undefined
  }
}

const TOOLS = {
  slow: [tool('slow'), tool('wild')],
  usual: [
    tool('echo'),
    tool('die'),
    tool('hang'),
    tool('cancelled'),
    tool('environment'),
    tool('look', { annotations: { readOnlyHint: true } }),
  ],
  names: [
    tool('run_command'),
    tool('a\u001b[31mb\u0007'),
    tool('Echo'),
    tool('echo'),
    tool('x'.repeat(300)),
    tool('two_fetch'),
    {},
  ],
  cycle: [tool('cyclic', { inputSchema: CYCLE }), tool('deep', { inputSchema: nested(100) }), tool('fine')],
  odd: [
    tool('fine'),
    tool('fine'),
    tool(''),
    tool('no\u001b[2Jschema', { inputSchema: 'x' }),
    tool('described', { description: 7 }),
    tool('deep', { inputSchema: nested(100) }),
    tool('long', { inputSchema: { type: 'object', description: 'x'.repeat(200_000) } }),
    null,
    'x',
  ],
  huge: [tool('huge'), tool('echo')],
  flood: [tool('echo')],
  stays: [tool('pid')],
  confined: [tool('echo'), tool('environment'), tool('file'), tool('network')],
  asks: [tool('refusal')],
  leaks: [
    tool('deny'),
    tool('tell', { title: `T ${process.env.API_KEY}`, description: `Asks with ${process.env.API_KEY}.` }),
  ],
}

function nested(levels) {
  let schema = { type: 'object' }
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { a: schema } }
  return schema
}

const CALLS = {
  echo: (id, args) => said(id, JSON.stringify(args)),
  // It is half done, and stays so.
  slow: (id, args, token) => progress(token, { progress: 2, total: 4, message: 'half way' }),
  wild: (id, args, token) => {
    for (const one of [
      {},
      { progress: 'x' },
      { progress: -1, total: 0 },
      { progress: 9, total: 3, message: 'm\u001b[31m'.repeat(999) },
    ])
      progress(token, one)
    progress('nobody', { progress: 1, total: 2 })
    said(id, 'done')
  },
  tell: (id, args, token) => {
    progress(token, { progress: 1, total: 2, message: `as ${process.env.API_KEY}` })
    said(id, `I have ${process.env.API_KEY}`)
  },
  deny: (id) => send({ id, error: { code: -32_000, message: `bad ${process.env.API_KEY}` } }),
  die: () => process.exit(3),
  refusal: (id) => said(id, refusals.join('\n')),
  hang: () => undefined,
  cancelled: (id) => said(id, `cancelled: ${cancelled}`),
  pid: (id) => said(id, String(process.pid)),
  environment: (id) => said(id, Object.keys(process.env).toSorted().join(' ')),
  file: (id, { path }) => said(id, contentOf(path)),
  network: (id) => said(id, Object.keys(networkInterfaces()).join(' ')),
  huge: (id) => said(id, 'x'.repeat(50 * 1024 * 1024)),
}

function contentOf(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    return error.code
  }
}

/** What a server may ask for itself. */
const QUESTIONS = new Map([
  ['sampling/createMessage', { messages: [], maxTokens: 1 }],
  ['elicitation/create', { message: 'Your password?', requestedSchema: { type: 'object', properties: {} } }],
  ['roots/list', {}],
])
const refusals = []
let cancelled = 'nothing'
let isListed = false

function answer({ id, method, params, error }) {
  if (behaviour === 'mute' || (behaviour === 'deaf' && isListed)) return
  switch (method) {
    case 'initialize':
      send({
        id,
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'raw', version: '1' },
        },
      })
      return
    case 'notifications/initialized':
      if (behaviour === 'flood') flood()
      if (behaviour === 'asks') for (const [method, params] of QUESTIONS) send({ id: method, method, params })
      return
    case 'notifications/cancelled':
      cancelled = params.reason
      return
    case 'tools/list':
      isListed = true
      send({ id, result: { tools: listed() ?? TOOLS[behaviour] ?? TOOLS.usual } })
      return
    case 'tools/call':
      ;(CALLS[params.name] ?? CALLS.echo)(id, params.arguments, params._meta?.progressToken)
      return
    default:
      if (id !== undefined && method !== undefined) send({ id, result: {} })
      if (QUESTIONS.has(id)) refusals.push(`${id}: ${error?.message}`)
  }
}

/** As much as the pipe takes, for ever. */
function flood() {
  const line = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n`
  const more = () => {
    while (process.stdout.write(line.repeat(100)));
    process.stdout.once('drain', more)
  }
  more()
}

if (behaviour === 'tells') {
  console.error(process.argv.slice(3).join(' '))
  process.exit(4)
}
// Whoever listens there learns when we end.
if (behaviour === 'stays' && file !== '') connect(Number(file), '127.0.0.1')
else if (file !== '' && behaviour !== 'silent')
  watch(file, () => listed() && send({ method: 'notifications/tools/list_changed' }))
const input = createInterface({ input: process.stdin })
input.on('line', (line) => answer(JSON.parse(line)))
input.on('close', () => behaviour === 'stays' || process.exit(0))
if (behaviour === 'stays') {
  process.on('SIGTERM', () => undefined)
  setInterval(() => undefined, 1_000)
}
