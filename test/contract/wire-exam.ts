import { EventEmitter, once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Wire } from '../../src/cluster/stores.ts'
import { utf8Bytes } from '../../src/base/amounts.ts'
import type { Log } from '../../src/base/environment.ts'
import { createEventLog } from '../support/event-log.ts'

/** An engine in a process of its own, and ways to it. */
export interface ExaminedEngine extends AsyncDisposable {
  /** The wire of another server of the same database. */
  open(log: Log): Promise<Wire>
  /** Ends it at once. */
  kill(): Promise<void>
  startAgain(): Promise<void>
  /** What another program sends where the wire's texts under this subject go: anything that the engine carries. */
  intrude(subject: string): Promise<void>
  /** What must be shown nowhere. */
  readonly password: string
}

const AWAY = 'the bus is down'
const BACK = 'the bus is up again'

/** Asks whether the engine brings what is sent; it is heard apart from the texts. */
const READY = 'ready?'

/** What a wire brings under a subject. */
interface Heard {
  readonly texts: string[]
  /** Resolves once this text has come. */
  until(text: string): Promise<void>
  end(): void
}

function hear(wire: Wire, subject: string, texts: string[] = []): Heard {
  const events = new EventEmitter()
  let isReady = false
  const end = wire.hear(subject, (text) => {
    if (text === READY) isReady = true
    else texts.push(text)
    events.emit('text')
  })
  const has = (text: string): boolean => (text === READY ? isReady : texts.includes(text))
  return {
    texts,
    end,
    async until(text) {
      while (!has(text)) await once(events, 'text')
    },
  }
}

/** As `hear`; resolves when the engine brings everything that is sent from now on. */
async function hearing(wire: Wire, subject: string, texts?: string[]): Promise<Heard> {
  const heard = hear(wire, subject, texts)
  wire.send(subject, READY)
  await heard.until(READY)
  return heard
}

const numbered = (count: number, name = ''): readonly string[] =>
  Array.from({ length: count }, (_, number) => `${name}${number}`)

/** Brings the engine back where a test ended without it. */
const whileAway = async (engine: ExaminedEngine, work: () => Promise<void>): Promise<void> => {
  await engine.kill()
  try {
    await work()
  } finally {
    await engine.startAgain()
  }
}

/** What every wire must do. `start` starts its engine. */
export function wireExam(name: string, start: () => Promise<ExaminedEngine>): void {
  describe(`the wire over ${name}`, () => {
    let engine: ExaminedEngine
    beforeAll(async () => {
      engine = await start()
    })
    afterAll(() => engine[Symbol.asyncDispose]())

    test('a wire delivers texts of a subject to all its listeners in the order of sending', async () => {
      await using here = await engine.open(createEventLog())
      await using there = await engine.open(createEventLog())
      const texts = [[], [], []] as [string[], string[], string[]]
      const [both, own, lobby] = texts
      const heard = [
        await hearing(there, 'room.lobby', both),
        await hearing(there, 'room.den', both),
        await hearing(here, 'room.den', own),
        await hearing(there, 'room.lobby', lobby),
      ]
      for (const text of numbered(100)) {
        here.send('room.lobby', `lobby ${text}`)
        here.send('room.den', `den ${text}`)
        here.send('room.nobody-hears', text)
      }
      here.send('room.lobby', 'end')
      here.send('room.den', 'end')
      for (const one of heard) await one.until('end')
      await hearing(there, 'room.last')
      expect(both).toEqual([
        ...numbered(100).flatMap((text) => [`lobby ${text}`, `den ${text}`]),
        'end',
        'end',
      ])
      expect(own).toEqual([...numbered(100, 'den '), 'end'])
      expect(lobby).toEqual([...numbered(100, 'lobby '), 'end'])
    })

    test('a wire delivers each of thousands of texts from two concurrent senders', async () => {
      await using reader = await engine.open(createEventLog())
      await using first = await engine.open(createEventLog())
      await using second = await engine.open(createEventLog())
      const heard = await hearing(reader, 'many')
      const sent = numbered(3000)
      for (const text of sent) first.send('many', `first ${text}`)
      for (const text of sent) {
        second.send('many', `second ${text}`)
        if (text.endsWith('00')) await new Promise(setImmediate)
      }
      first.send('many', 'first end')
      second.send('many', 'second end')
      await heard.until('first end')
      await heard.until('second end')
      for (const sender of ['first ', 'second '])
        expect(heard.texts.filter((text) => text.startsWith(sender))).toEqual([
          ...numbered(3000, sender),
          `${sender}end`,
        ])
    })

    test('a wire delivers texts of maxBytes and drops only longer ones', async () => {
      await using here = await engine.open(createEventLog())
      await using there = await engine.open(createEventLog())
      const heard = await hearing(there, 'room.long')
      const { maxBytes } = here
      const fits = 'x'.repeat(maxBytes)
      const wide = '€'.repeat(Math.floor(maxBytes / 3)) + 'x'.repeat(maxBytes % 3)
      expect(utf8Bytes(wide)).toBe(maxBytes)
      for (const text of [fits, `${fits}x`, wide, `${wide}x`, 'x'.repeat(10_000_000), 'end'])
        here.send('room.long', text)
      await heard.until('end')
      expect(heard.texts.map(({ length }) => length)).toEqual([fits.length, wide.length, 3])
      expect(heard.texts.slice(0, 2).every((text, place) => text === [fits, wide][place])).toBe(true)
      expect(here.isUp()).toBe(true)
    })

    test('a wire keeps every character, and repeated texts', async () => {
      await using here = await engine.open(createEventLog())
      await using there = await engine.open(createEventLog())
      const heard = await hearing(there, 'texts')
      const texts = [
        '',
        'same',
        'same',
        'same',
        '\0',
        'a\0b\u00010\u00011\u0001',
        '\u0000\u0001\u0002\u001b[31m\u007f\u0080\uffff\ufffe',
        '\ufeffstarts with a mark',
        '\r\n\r\nPUB x 1\r\n',
        '"\\\'{NULL},$1;--%s',
        '漢字 👩‍🚀 e\u0301 \u{10ffff} ‮right to left',
      ]
      for (const text of [...texts, 'half \ud800 a pair', 'end']) here.send('texts', text)
      await heard.until('end')
      expect(heard.texts).toEqual([...texts, 'half \ufffd a pair', 'end'])
    })

    test('a wire calls no ended listener and counts each listener separately', async () => {
      const log = createEventLog()
      await using wire = await engine.open(log)
      const first = await hearing(wire, 'room.a')
      const second = await hearing(wire, 'room.a')
      const endBroken = wire.hear('room.a', () => {
        throw new Error('broken listener')
      })
      wire.send('room.a', 'one')
      await second.until('one')
      expect(log.count('broken listener')).toBe(1)
      endBroken()
      first.end()
      first.end()
      wire.send('room.a', 'two')
      await second.until('two')
      second.end()
      wire.send('room.a', 'nobody hears this')
      await hearing(wire, 'room.b')
      const again = await hearing(wire, 'room.a')
      wire.send('room.a', 'three')
      await again.until('three')
      expect([first.texts, second.texts, again.texts]).toEqual([['one'], ['one', 'two'], ['three']])
    })

    test('a wire drops texts that are sent too fast and recovers', async () => {
      await using here = await engine.open(createEventLog())
      await using there = await engine.open(createEventLog())
      const heard = await hearing(there, 'flood')
      const long = 'x'.repeat(Math.min(here.maxBytes, 100_000))
      const sent = Math.ceil(64_000_000 / long.length)
      for (let count = 0; count < sent; count++) here.send('flood', long)
      // What was sent first is on its way; the last text may be lost with the rest, so it is sent until it comes.
      const arrived = heard.until('end')
      const again = setInterval(() => here.send('flood', 'end'), 20)
      await arrived
      clearInterval(again)
      const longs = heard.texts.filter((text) => text === long).length
      expect(longs).toBeGreaterThan(10)
      expect(longs).toBeLessThan(sent / 2)
    })

    test('a wire ignores garbage of another program', async () => {
      const log = createEventLog()
      await using wire = await engine.open(log)
      const heard = await hearing(wire, 'room.lobby')
      await engine.intrude('room.lobby')
      wire.send('room.lobby', 'ours')
      await heard.until('ours')
      expect([wire.isUp(), log.lines]).toEqual([true, []])
    })

    test('a wire reports that its engine is away and recovers without help', async () => {
      const logs = [createEventLog(), createEventLog()] as const
      await using here = await engine.open(logs[0])
      await using there = await engine.open(logs[1])
      const before = await hearing(there, 'room.before')
      const during: Heard[] = []
      expect([here.isUp(), there.isUp()]).toEqual([true, true])
      await whileAway(engine, async () => {
        await Promise.all(logs.map((log) => log.until(AWAY)))
        expect([here.isUp(), there.isUp()]).toEqual([false, false])
        during.push(hear(there, 'room.during'))
        for (const text of numbered(10_000)) here.send('room.during', `lost ${text}`)
        here.send('room.before', 'lost')
      })
      await Promise.all(logs.map((log) => log.until(BACK)))
      expect([here.isUp(), there.isUp()]).toEqual([true, true])
      // The engine knows again what is heard there.
      await hearing(there, 'room.back')
      for (const subject of ['room.before', 'room.during']) here.send(subject, 'after')
      await before.until('after')
      await during[0]?.until('after')
      expect([before.texts, during[0]?.texts]).toEqual([['after'], ['after']])
      for (const log of logs) {
        expect([log.count(AWAY), log.count(BACK)]).toEqual([1, 1])
        expect(log.lines.join('\n')).not.toContain(engine.password)
      }
    })

    test('a wire can be opened while its engine is away', async () => {
      const log = createEventLog()
      let wire: Wire | undefined
      await whileAway(engine, async () => {
        wire = await engine.open(log)
        expect([wire.isUp(), log.count(AWAY), wire.maxBytes > 0]).toEqual([false, 1, true])
      })
      await log.until(BACK)
      await using opened = wire
      if (opened) await hearing(opened, 'room.late')
      expect(log.lines.join('\n')).not.toContain(engine.password)
    })

    test('a wire that is closed sends its earlier texts and is then silent', async () => {
      const log = createEventLog()
      await using there = await engine.open(log)
      const heard = await hearing(there, 'last')
      const wire = await engine.open(log)
      const own = await hearing(wire, 'own')
      wire.send('last', 'words')
      await Promise.all([wire[Symbol.asyncDispose](), wire[Symbol.asyncDispose]()])
      await wire[Symbol.asyncDispose]()
      await heard.until('words')
      wire.send('last', 'too late')
      wire.hear('last', () => undefined)()
      there.send('own', 'to nobody')
      there.send('last', 'end')
      await heard.until('end')
      expect([heard.texts, own.texts]).toEqual([['words', 'end'], []])
      expect([wire.isUp(), log.lines]).toEqual([false, []])
    })

    test('a wire can be closed while its engine is away', async () => {
      const log = createEventLog()
      const wire = await engine.open(log)
      await whileAway(engine, async () => {
        await log.until(AWAY)
        await wire[Symbol.asyncDispose]()
        await wire[Symbol.asyncDispose]()
        expect(wire.isUp()).toBe(false)
      })
      await using other = await engine.open(createEventLog())
      await hearing(other, 'alive')
      expect(log.count(BACK)).toBe(0)
    })
  })
}
