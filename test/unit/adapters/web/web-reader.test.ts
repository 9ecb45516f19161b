import type { LookupAddress, LookupOptions } from 'node:dns'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { isPublicAddress } from '../../../../src/adapters/web/address.ts'
import { createWebReader, type WebReaderOptions } from '../../../../src/adapters/web/web-reader.ts'
import { paths } from '../../../../src/paths.ts'
import { webFetch } from '../../../../src/tools/web-fetch.ts'
import type { ToolContext } from '../../../../src/tools/tool.ts'
import { contextFor } from '../../tools/context.ts'

const never = new AbortController().signal
const worker = join(paths.root, 'dist/adapters/web/page-worker.js')

/** The one loopback address that stands for the public web; 127.0.0.1 stands for what must not be reached. */
const outsideAddress = '127.0.0.2'
const reader = (options: WebReaderOptions = {}) =>
  createWebReader({ worker, allowed: (address) => address === outsideAddress, timeoutMs: 10_000, ...options })

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(address: string, listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  return `http://${address}:${(server.address() as AddressInfo).port}`
}

/** A page on the stand-in for the public web. */
const page = (body: string | Buffer, headers: Record<string, string> = { 'content-type': 'text/html' }) =>
  serve(outsideAddress, (_, response) => response.writeHead(200, headers).end(body))

describe('isPublicAddress', () => {
  it.each([
    ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
    ...['224.0.0.1', '255.255.255.255', '192.0.2.1', '198.18.0.1', '240.0.0.1'],
    ...['::1', '::', 'fe80::1', 'fd00::1', 'ff02::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '2001:db8::1'],
    ...[
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '2001:0:7f00:1::',
      '::ffff:0:127.0.0.1',
      '',
      'example.org',
      'fec0::1',
    ],
    '::127.0.0.1',
  ])('refuses %j', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each(['1.1.1.1', '93.184.215.14', '2606:4700:4700::1111', '::ffff:1.1.1.1'])(
    'lets %s pass',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )
})

describe('createWebReader', () => {
  it('makes markdown of the article of a page, without its scripts', async () => {
    const paragraph = `<p>${'A sentence that is long enough to count as an article, with <b>bold</b> text. '.repeat(10)}</p>`
    const url = await page(
      `<html><head><title>A page</title><script>evil()</script></head><body><nav><a href="/">menu</a></nav>` +
        `<article><h2>Part</h2>${paragraph}${paragraph}<ul><li>one</li></ul><script>evil()</script></article></body></html>`,
    )
    const read = await reader().read(url, 'markdown', never)
    expect(read).toMatchObject({ url: `${url}/`, title: 'A page' })
    expect(read.text).toContain('## Part')
    expect(read.text).toContain('**bold**')
    expect(read.text).not.toContain('evil')
    expect((await reader().read(url, 'text', never)).text).not.toMatch(/[*<]/)
    expect((await reader().read(url, 'raw', never)).text).toContain('<script>evil()')
  })

  it.each([
    ['', ''],
    ['just words', 'just words'],
    ['<p>one', 'one'],
    ['<title>t</title><body><script>x</script>', 't'],
    ['<<<>>>&amp;\u0007', '<<<>>>&\u0007'],
  ])('makes something of the odd page %j', async (html, text) => {
    expect((await reader().read(await page(html), 'text', never)).text).toBe(text)
  })

  it('follows redirects on the public web', async () => {
    const url = await serve(outsideAddress, (request, response) => {
      if (request.url === '/to') response.writeHead(200, { 'content-type': 'text/plain' }).end('here')
      else response.writeHead(302, { location: '/to' }).end()
    })
    expect(await reader().read(url, 'markdown', never)).toEqual({ url: `${url}/to`, title: '', text: 'here' })
  })

  it.each([
    ['redirects to it', (secret: string) => ({ location: secret })],
    [
      'redirects to it in decimal',
      (secret: string) => ({ location: secret.replace('127.0.0.1', '2130706433') }),
    ],
    [
      'redirects to it as a mapped address',
      (secret: string) => ({ location: secret.replace('127.0.0.1', '[::ffff:127.0.0.1]') }),
    ],
    ['redirects to a file', () => ({ location: 'file:///etc/passwd' })],
  ])('never reaches the inside when a page %s', async (_, headers) => {
    let reached = 0
    const secret = await serve('127.0.0.1', (__, response) => {
      reached++
      response.end('secret')
    })
    const url = await serve(outsideAddress, (__, response) => response.writeHead(302, headers(secret)).end())
    await expect(reader().read(url, 'raw', never)).rejects.toThrow(
      /not an address of the public web|not supported/,
    )
    expect(reached).toBe(0)
  })

  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'https://192.168.0.1/',
  ])('refuses %s as it stands', async (url) => {
    await expect(createWebReader({ worker }).read(url, 'raw', never)).rejects.toThrow(
      /not an address of the public web/,
    )
  })

  it('connects to the address that it checked, so that a name cannot change its mind', async () => {
    const port = new URL(await page('public', { 'content-type': 'text/plain' })).port
    let asked = 0
    const rebinding = ((_: string, __: LookupOptions, answer: (e: null, all: LookupAddress[]) => void) => {
      asked++
      answer(null, [{ address: asked === 1 ? outsideAddress : '127.0.0.1', family: 4 }])
    }) as WebReaderOptions['lookup']
    const web = reader({ lookup: rebinding })
    expect((await web.read(`http://name.test:${port}/`, 'raw', never)).text).toBe('public')
    expect(asked).toBe(1)
    await expect(web.read(`http://name.test:${port}/`, 'raw', never)).rejects.toThrow(
      'name.test is not an address',
    )
  })

  it('refuses a name of which only one address is inside', async () => {
    const both = ((_: string, __: LookupOptions, answer: (e: null, all: LookupAddress[]) => void) =>
      answer(null, [
        { address: outsideAddress, family: 4 },
        { address: '127.0.0.1', family: 4 },
      ])) as WebReaderOptions['lookup']
    await expect(reader({ lookup: both }).read('http://name.test/', 'raw', never)).rejects.toThrow(
      /not an address/,
    )
  })

  it.each([
    ['ftp://example.org/', /only http: and https:/],
    ['file:///etc/passwd', /only http: and https:/],
    ['http://user:pass@example.org/', /name or password/],
    ['example.org', /is not a URL/],
    ['', /is not a URL/],
  ])('refuses the address %j', async (url, message) => {
    await expect(reader().read(url, 'raw', never)).rejects.toThrow(message)
  })

  it('gives up on a body that does not end', async () => {
    const url = await serve(outsideAddress, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      more()
    })
    await expect(reader({ maxBytes: 1 << 20 }).read(url, 'raw', never)).rejects.toThrow('larger than 1 MiB')
  })

  it('gives up on a gzip bomb before it has grown', async () => {
    const url = await page(gzipSync(Buffer.alloc(200 << 20)), {
      'content-type': 'text/plain',
      'content-encoding': 'gzip',
    })
    await expect(reader({ maxBytes: 1 << 20 }).read(url, 'raw', never)).rejects.toThrow('larger than 1 MiB')
  })

  it('gives up on a server that never answers, or never finishes', async () => {
    const silent = await serve(outsideAddress, () => undefined)
    await expect(reader({ timeoutMs: 200 }).read(silent, 'raw', never)).rejects.toThrow(
      'the page took longer than 0.2 s',
    )
    const slow = await serve(outsideAddress, (_, response) => void response.writeHead(200).write('x'))
    await expect(reader({ timeoutMs: 200 }).read(slow, 'raw', never)).rejects.toThrow(
      'the page took longer than 0.2 s',
    )
  })

  it('gives up on a page that is made to take long', async () => {
    const url = await page('<div><p>a'.repeat(200_000))
    await expect(reader({ timeoutMs: 1500 }).read(url, 'markdown', never)).rejects.toThrow(
      /could not be made into text|took longer/,
    )
  })

  it('stops when its turn is stopped', async () => {
    const stop = new AbortController()
    const url = await serve(outsideAddress, () => stop.abort(new Error('stopped')))
    await expect(reader().read(url, 'raw', stop.signal)).rejects.toThrow('stopped')
  })

  it.each([
    ['an image', { 'content-type': 'image/png' }, 'x', /sent image\/png, which is not text/],
    ['binary', { 'content-type': 'text/plain' }, '\0', /not text/],
    [
      'an unknown packing',
      { 'content-type': 'text/plain', 'content-encoding': 'zip' },
      'x',
      /not supported \(zip\)/,
    ],
    ['broken gzip', { 'content-type': 'text/plain', 'content-encoding': 'gzip' }, 'x', /cannot be reached/],
  ])('refuses %s', async (_, headers, body, message) => {
    await expect(reader().read(await page(body, headers), 'raw', never)).rejects.toThrow(message)
  })

  it('tells of errors, endless redirects and closed doors', async () => {
    const missing = await serve(outsideAddress, (_, response) => response.writeHead(404, 'Gone').end('x'))
    await expect(reader().read(missing, 'raw', never)).rejects.toThrow(/answered 404 Gone/)
    const circle = await serve(outsideAddress, (_, response) =>
      response.writeHead(302, { location: '/' }).end(),
    )
    await expect(reader().read(circle, 'raw', never)).rejects.toThrow('more than 5 redirects')
    await expect(reader().read(`http://${outsideAddress}:1/`, 'raw', never)).rejects.toThrow(/ECONNREFUSED/)
  })

  it('reads the character set that the server names', async () => {
    const url = await page(Buffer.from([0xe9]), { 'content-type': 'text/plain; charset=iso-8859-1' })
    expect((await reader().read(url, 'raw', never)).text).toBe('é')
  })
})

describe('web_fetch', () => {
  it('asks with the whole address, and fetches nothing that was denied', async () => {
    let reached = 0
    const url = await serve(outsideAddress, (_, response) => {
      reached++
      response.writeHead(200, { 'content-type': 'text/plain' }).end('hello')
    })
    const fetch = webFetch(reader())
    const denied = contextFor({} as ToolContext['workspace'], 'deny')
    expect((await fetch.run({ url }, denied)).content).toBe(`ERROR: Permission denied: fetch '${url}'?`)
    expect(denied.asked).toMatchObject([{ access: 'network', detail: `fetch ${url}`, onceOnly: true }])
    expect(reached).toBe(0)
    const allowed = contextFor({} as ToolContext['workspace'])
    expect((await fetch.run({ url }, allowed)).content).toBe(`URL: ${url}/\n\nhello`)
    expect((await fetch.run({ url: 'http://127.0.0.1/' }, allowed)).content).toBe(
      'ERROR: web_fetch: 127.0.0.1 is not an address of the public web',
    )
    expect((await fetch.run({ url, format: 'pdf' }, allowed)).content).toBe(
      `ERROR: web_fetch: format must be one of 'markdown', 'text', 'raw', got "pdf"`,
    )
  })
})
