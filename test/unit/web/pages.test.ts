import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { type Certificate, createCA, createCert } from 'mkcert'
import { beforeAll, expect, test } from 'vitest'
import { PAGE_LIMITS } from '../../../src/web/pages.ts'
import { createWeb, type WebOverrides } from '../../../src/web/web.ts'
import { paths } from '../../../src/base/paths.ts'
import { WebError, type PageFormat } from '../../../src/tools/web.ts'
import { localWeb, startBytes, startSite, visit } from '../../support/site.ts'

const never = new AbortController().signal
const short = { ...PAGE_LIMITS, totalMs: 600, idleMs: 300 }

/** Serves one site, reads `http://site.test:PORT/` and gives what came of it. */
async function fetchFrom(
  serve: RequestListener,
  format: PageFormat = 'raw',
  { ports = [], ...change }: WebOverrides & { readonly ports?: readonly number[] } = {},
) {
  await using site = await startSite(serve)
  return await visit(localWeb([site.port, ...ports], change), `http://site.test:${site.port}/`).read(
    format,
    never,
  )
}

const text =
  (body: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': 'text/plain', ...headers }).end(body)

/** Reads the first page of a site that is there already, under the name `host`. */
const readAt = ({ port }: { readonly port: number }, change: WebOverrides = {}, host = 'http://site.test') =>
  visit(localWeb([port], change), `${host}:${port}/`).read('raw', never)

/** What a web with its real rules says of an address; nothing may be sent. */
function refusalOf(url: string): string {
  const web = createWeb({ fetch: true, ports: [80, 443] }, paths.pageReader, {
    resolve: () => Promise.reject(new Error('a name server was asked')),
  })
  try {
    visit(web, url)
  } catch (error) {
    if (error instanceof WebError) return error.message
    throw error
  }
  return 'allowed'
}

test.each([
  ...'http://127.0.0.1/ http://127.1/ http://2130706433/ http://0x7f.0.0.1/ http://0x7f000001/'.split(' '),
  ...'http://017700000001/ http://0177.0.0.1/ http://127.0.0.1./ http://127。0。0。1/'.split(' '),
  ...'http://①②⑦.0.0.1/ http://%31%32%37.0.0.1/ http://0/ http://[::1]/ http://[::]/'.split(' '),
  ...'http://[::ffff:127.0.0.1]/ http://[::ffff:7f00:1]/ http://[::127.0.0.1]/'.split(' '),
  ...'http://[64:ff9b::127.0.0.1]/ http://[2002:7f00:1::]/ http://[fd00:ec2::254]/'.split(' '),
  ...'http://169.254.169.254/latest/meta-data/ http://10.0.0.1/ http://192.168.0.1/'.split(' '),
  ...'http://localhost/ http://localhost./ http://LOCALHOST/ http://intranet/'.split(' '),
  ...'https://224.0.0.1/'.split(' '),
])('the private address %s is refused', (url) =>
  expect(refusalOf(url)).toContain('only the public web can be read'),
)

test.each([
  ['example.org', 'write it whole, such as https://'],
  ['', 'is no address'],
  ['http://', 'is no address'],
  ['http://[::1%25eth0]/', 'is no address'],
  ['http://a b/', 'is no address'],
  ['http://999.1.1.1/', 'is no address'],
  ['file:///etc/passwd', 'file: addresses cannot be fetched'],
  ['ftp://example.org/', 'ftp: addresses cannot be fetched'],
  ['javascript:alert(1)', 'javascript: addresses cannot be fetched'],
  ['data:text/plain,x', 'data: addresses cannot be fetched'],
  ['http://user@example.org/', 'user name or password'],
  ['http://:secret@example.org/', 'user name or password'],
  ['http://example.org:22/', 'port 22 is refused; only 80 and 443'],
  ['https://example.org:6379/', 'port 6379 is refused'],
])('the address %j is refused: %s', (url, why) => expect(refusalOf(url)).toContain(why))

test('the refusal of an address with a password does not repeat the password', () =>
  expect(refusalOf('http://me:hunter2@example.org/')).not.toContain('hunter2'))

test.each(['http://example.org/', 'https://example.org:443/a?b#c', 'http://8.8.8.8/', 'HTTP://EXAMPLE.ORG'])(
  'the public address %s is allowed',
  (url) => expect(refusalOf(url)).toBe('allowed'),
)

const webOf = (port: number, addresses: readonly string[]) =>
  createWeb({ fetch: true, ports: [port] }, paths.pageReader, { resolve: async () => addresses })

test.each([
  ['this machine', ['127.0.0.1']],
  ['the metadata of a cloud', ['169.254.169.254']],
  ['this machine, in IPv6', ['::ffff:127.0.0.1']],
  ['a public address and a private one', ['93.184.215.14', '127.0.0.1']],
])('a host name that resolves to %s is refused without a connection', async (_what, addresses) => {
  await using site = await startSite(text('secret'))
  const reading = visit(webOf(site.port, addresses), `http://trap.test:${site.port}/`).read('raw', never)
  await expect(reading).rejects.toThrow('trap.test is refused: it is a private or local address')
  await expect(reading).rejects.not.toThrow('127.0.0.1')
  expect(site.connections()).toBe(0)
})

test('a host name that does not exist is an error that names it', async () => {
  const reading = visit(webOf(80, []), 'http://nowhere.test/').read('raw', never)
  await expect(reading).rejects.toThrow('there is no host called nowhere.test')
})

test('a host name is resolved once, so that the checked address is the one connected to', async () => {
  let asked = 0
  const rebinding = async (): Promise<string[]> => [++asked === 1 ? '127.0.0.1' : '169.254.169.254']
  const page = await fetchFrom(text('hello'), 'raw', { resolve: rebinding })
  expect(page.text).toBe('hello')
  expect(asked).toBe(1)
})

test('a server receives the host name of the page in the Host header', async () => {
  const page = await fetchFrom((request, response) => text(request.headers.host ?? '')(request, response))
  expect(page.text).toMatch(/^site\.test:\d+$/)
})

test('a request fails after the idle limit if no name server answers', async () => {
  const hanging = (_name: string, signal: AbortSignal): Promise<string[]> =>
    once(signal, 'abort').then(() => Promise.reject(signal.reason))
  const reading = fetchFrom(text('x'), 'raw', { resolve: hanging, limits: short })
  await expect(reading).rejects.toThrow('sent nothing for 0.3 s')
})

const to =
  (location: string, status = 302): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { location }).end()

test('a redirect within the site is followed, and the page has the final URL', async () => {
  const page = await fetchFrom((request, response) =>
    (request.url === '/' ? to('/next?a=1#there') : text('here'))(request, response),
  )
  expect(page).toMatchObject({ text: 'here', status: 200 })
  expect(page.url).toMatch(/^http:\/\/site\.test:\d+\/next\?a=1$/)
})

test.each([301, 302, 303, 307, 308])(
  'a redirect with status %i to this machine is refused',
  async (status) => {
    await using inner = await startSite(text('secret'))
    let steps = 0
    const reading = fetchFrom(to(`http://127.0.0.1:${inner.port}/`, status), 'raw', {
      allowAddress: () => ++steps === 1,
      ports: [inner.port],
    })
    await expect(reading).rejects.toThrow('127.0.0.1 is refused: it is a private or local address')
    expect(steps).toBe(2)
    expect(inner.connections()).toBe(0)
  },
)

test.each([
  ['http://169.254.169.254/', 'only the public web can be read'],
  ['http://0x7f.1/', 'port 80 is refused'],
  ['file:///etc/passwd', 'file: addresses cannot be fetched'],
  ['http://a:b@site.test/', 'user name or password'],
  ['http://', 'is no address'],
])('a redirect to %s is refused', async (location, why) => {
  const ports = why.startsWith('port') ? [] : [80]
  await expect(fetchFrom(to(location), 'raw', { ports })).rejects.toThrow(why)
})

test('a redirect to another site is refused with the address to fetch', async () => {
  await using other = await startSite(text('other'))
  await using site = await startSite(to(`http://other.test:${other.port}/x`))
  const web = localWeb([site.port, other.port])
  await expect(visit(web, `http://site.test:${site.port}/`).read('raw', never)).rejects.toThrow(
    `redirects to another site; to go there, fetch http://other.test:${other.port}/x`,
  )
  expect(other.connections()).toBe(0)
})

test('a redirect is refused if its host name now resolves to a private address', async () => {
  let asked = 0
  const moving = async (): Promise<string[]> => [++asked === 1 ? '127.0.0.1' : '10.0.0.1']
  await expect(fetchFrom(to('/again'), 'raw', { resolve: moving })).rejects.toThrow('is refused')
  expect(asked).toBe(2)
})

test('an endless chain of redirects fails after the fifth', async () => {
  let count = 0
  const circle: RequestListener = (request, response) => to(`/${++count}`)(request, response)
  await expect(fetchFrom(circle)).rejects.toThrow('redirects more than 5 times')
  expect(count).toBe(6)
})

const BRIEFLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

test('a request fails after the idle limit if the server never answers', async () => {
  await expect(fetchFrom(() => {}, 'raw', { limits: short })).rejects.toThrow(
    'the server sent nothing for 0.3 s',
  )
})

test('a request fails after the idle limit if the server stops in the middle', async () => {
  const stalls: RequestListener = (_request, response) =>
    void response.writeHead(200, { 'content-type': 'text/plain' }).write('half')
  await expect(fetchFrom(stalls, 'raw', { limits: short })).rejects.toThrow('sent nothing for 0.3 s')
})

test('a request fails after the total limit if the server keeps sending slowly', async () => {
  const drips: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const timer = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(timer))
  }
  await expect(fetchFrom(drips, 'raw', { limits: short })).rejects.toThrow('was not done after 0.6 s')
})

test('an endless response is cut at the size limit, and its connection is closed', async () => {
  let closed: Promise<unknown> = Promise.resolve()
  const endless: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    closed = once(response, 'close')
    const block = Buffer.alloc(65_536, 'x')
    const fill = (): void => {
      while (!response.destroyed && response.write(block));
    }
    response.on('drain', fill).on('error', () => {})
    fill()
  }
  await using site = await startSite(endless)
  const page = await readAt(site)
  expect(page.cut).toBe(true)
  expect(page.text).toHaveLength(PAGE_LIMITS.bodyBytes)
  await closed
})

test.each([
  // They unpack to the same, whatever pains were taken to pack them: the most takes seconds.
  ['gzip', gzipSync(Buffer.alloc(200 * 1024 * 1024), { level: 1 })],
  ['br', brotliCompressSync(Buffer.alloc(64 * 1024 * 1024), BRIEFLY)],
  ['deflate', deflateSync(Buffer.alloc(64 * 1024 * 1024), { level: 1 })],
])('a response that is a %s bomb is cut at the size limit', async (encoding, bomb) => {
  expect(bomb.length).toBeLessThan(PAGE_LIMITS.bodyBytes)
  const page = await fetchFrom(text(bomb, { 'content-encoding': encoding }))
  expect(page.cut).toBe(true)
  expect(page.text).toHaveLength(PAGE_LIMITS.bodyBytes)
})

test.each(['gzip', 'br', 'deflate'])('a response with damaged %s data is an error', async (encoding) => {
  await expect(fetchFrom(text('not packed', { 'content-encoding': encoding }))).rejects.toThrow(
    'sent damaged compressed data',
  )
})

test('a response in an encoding that was not requested is an error', async () => {
  await expect(fetchFrom(text('x', { 'content-encoding': 'zstd' }))).rejects.toThrow('as zstd')
  await expect(fetchFrom(text('x', { 'content-encoding': 'gzip, gzip' }))).rejects.toThrow('as gzip, gzip')
})

test('a connection that breaks in the middle of a body is an error', async () => {
  const broken: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '1000' })
    response.write('half', () => response.destroy())
  }
  await expect(fetchFrom(broken)).rejects.toThrow(/the connection to site\.test:\d+ broke/)
})

test.each([
  ['headers without measure', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(10_000)}\r\n`, 'KiB of headers'],
  ['one endless header', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(100_000)}`, 'KiB of headers'],
  ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'does not speak HTTP'],
  [
    'two lengths',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx',
    'does not speak HTTP',
  ],
])('a request fails if the server sends %s', async (_what, bytes, why) => {
  await using site = await startBytes((socket) => socket.write(bytes))
  const reading = readAt(site)
  await expect(reading).rejects.toThrow(why)
})

test('a request fails if the server hangs up at once or does not listen', async () => {
  await using rude = await startBytes((socket) => socket.destroy())
  await expect(readAt(rude)).rejects.toThrow('broke')
  const gone = await startSite(text(''))
  await gone[Symbol.asyncDispose]()
  await expect(readAt(gone)).rejects.toThrow(`site.test:${gone.port} takes no connections`)
})

test.each([
  [404, '404 Not Found'],
  [500, '500 Internal Server Error'],
  [304, '304 Not Modified'],
])('a response with status %i is an error', async (status, words) => {
  const answers: RequestListener = (_request, response) => void response.writeHead(status).end()
  await expect(fetchFrom(answers)).rejects.toThrow(words)
})

test('a request ends at once when the turn is stopped', async () => {
  const stopped = new AbortController()
  await using site = await startSite((request) => {
    request.on('close', () => {})
    stopped.abort(new Error('stopped'))
  })
  const reading = visit(localWeb([site.port]), `http://site.test:${site.port}/`).read('raw', stopped.signal)
  await expect(reading).rejects.toThrow('stopped')
})

test.each(['image/png', 'application/octet-stream', 'application/pdf', 'video/mp4', 'multipart/mixed'])(
  'a page of type %s is refused',
  async (type) =>
    await expect(fetchFrom(text('x', { 'content-type': type }))).rejects.toThrow(
      `it is ${type}, which cannot be read`,
    ),
)

test('a page without a content type is refused', async () => {
  await expect(fetchFrom((_request, response) => void response.end('x'))).rejects.toThrow('does not say')
})

test.each(['text/csv', 'application/json', 'application/ld+json', 'application/xml', 'image/svg+xml'])(
  'a page of type %s is returned unchanged even if Markdown is requested',
  async (type) => {
    const page = await fetchFrom(text('<a>*b*</a>', { 'content-type': type }), 'markdown')
    expect(page).toMatchObject({ text: '<a>*b*</a>', contentType: type })
  },
)

test.each([
  ['the header', 'text/plain; charset="windows-1252"', Buffer.from([0x63, 0xe9])],
  ['a mark at the beginning', 'text/plain; charset=latin1', Buffer.from('\uFEFFcé', 'utf16le')],
  ['the page itself', 'text/html', Buffer.from('<meta charset=iso-8859-1><p>cé', 'latin1')],
  [
    'the page and not by a comment in it',
    'text/html',
    Buffer.from('<!-- <meta charset=utf-8> --><meta charset=latin1><p>cé', 'latin1'),
  ],
  [
    'its XML declaration',
    'application/xml',
    Buffer.from(`<?xml version='1.0' encoding='ISO-8859-1'?><a/>cé`, 'latin1'),
  ],
  ['nothing', 'text/plain', Buffer.from('cé')],
  ['a charset that nobody knows', 'text/plain; charset=klingon', Buffer.from('cé')],
])('a page is decoded with the charset given by %s', async (_what, type, body) => {
  const page = await fetchFrom(text(body, { 'content-type': type }), 'raw')
  expect(page.text).toMatch(/cé$/)
})

test('a page that names latin1 is decoded as windows-1252', async () => {
  const body = Buffer.from([0x93, 0x63, 0xe9, 0x94, 0x80])
  const page = await fetchFrom(text(body, { 'content-type': 'text/plain; charset=iso-8859-1' }), 'raw')
  expect(page.text).toBe('“cé”€')
})

test('a page with an overlong content type is refused', async () => {
  const long = `text/${'x'.repeat(200)}`
  await expect(fetchFrom(text('x', { 'content-type': long }))).rejects.toThrow('does not say')
})

test.each([
  ['gzip', gzipSync('hello')],
  ['br', brotliCompressSync('hello')],
  ['deflate', deflateSync('hello')],
  ['identity', Buffer.from('hello')],
])('a page with the content encoding %s is decoded', async (encoding, body) => {
  const page = await fetchFrom(text(body, { 'content-encoding': encoding }))
  expect(page).toMatchObject({ text: 'hello', cut: false })
})

test('an HTML page is returned as Markdown, text or raw, as requested', async () => {
  const html =
    '<html><head><title>A title</title></head><body><p>One <b>word</b>, <a href="/x">more</a></p></body></html>'
  const serve = text(html, { 'content-type': 'text/html; charset=utf-8' })
  const page = await fetchFrom(serve, 'markdown')
  expect(page.title).toBe('A title')
  expect(page.text).toMatch(/^One \*\*word\*\*, \[more\]\(http:\/\/site\.test:\d+\/x\)$/)
  expect((await fetchFrom(serve, 'text')).text).toBe('One word, more')
  expect((await fetchFrom(serve, 'raw')).text).toBe(html)
})

let tls: Certificate
let authorities: string
beforeAll(async () => {
  const place = { organization: 'sshawl', countryCode: 'XX', state: 'none', locality: 'none' }
  const ca = await createCA({ ...place, validity: 2 })
  tls = await createCert({ ca, domains: ['site.test'], validity: 2 })
  authorities = ca.cert
})

test('a certificate is accepted for its host name although the connection goes to an address', async () => {
  await using site = await startSite(text('safe'), tls)
  const page = await readAt(site, { authorities }, 'https://site.test')
  expect(page.text).toBe('safe')
})

test('a certificate for another host name is refused', async () => {
  await using site = await startSite(text('safe'), tls)
  await expect(readAt(site, { authorities }, 'https://other.test')).rejects.toThrow(
    'cannot be trusted (ERR_TLS_CERT_ALTNAME_INVALID)',
  )
})

test('a certificate of an unknown authority is refused', async () => {
  await using site = await startSite(text('safe'), tls)
  await expect(readAt(site, {}, 'https://site.test')).rejects.toThrow('cannot be trusted')
})
