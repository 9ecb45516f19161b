import { failure, reported, type Case } from './case.ts'

const json = (value: unknown): string => JSON.stringify(value)

const refused = (quoted: string) => failure(`the provider refused the request with status 400 (${quoted})`)

const FIELD = { detail: [{ loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }] }

const NESTED = { error: { error: { error: { error: { error: { error: { error: { code: 7 } } } } } } } }

/** Reading it whole would overflow the stack. */
const DEEP = `${'['.repeat(500_000)}${']'.repeat(500_000)}`

/** Errors that any server may send, in whatever protocol. */
export const ERRORS: readonly Case[] = [
  {
    name: 'an error that is a text',
    bytes: json({ error: 'no such model' }),
    end: reported('no such model'),
  },
  {
    name: 'an error that is an object',
    bytes: json({ error: { message: 'no such model' } }),
    end: reported('no such model'),
  },
  {
    name: 'an error over several lines',
    bytes: JSON.stringify({ error: { message: 'no such model' } }, null, 2),
    end: reported('no such model'),
  },
  {
    name: 'an error in a stream',
    bytes: `data: ${json({ error: 'no such model' })}\n\n`,
    end: reported('no such model'),
  },
  {
    name: 'an error by its object',
    bytes: json({ object: 'error', message: 'no such model', code: 404 }),
    end: reported('no such model'),
  },
  {
    name: 'an error by its status',
    bytes: json({ status: 'error', message: 'no such model' }),
    end: reported('no such model'),
  },
  {
    name: 'an error by its code',
    bytes: json({ code: 503, message: 'too busy' }),
    end: reported('too busy', true),
  },
  {
    name: 'an error that is true',
    bytes: json({ error: true, message: 'no such model' }),
    end: reported('no such model'),
  },
  {
    name: 'no success',
    bytes: json({ success: false, errors: [{ message: 'no such model' }] }),
    end: reported('no such model'),
  },
  {
    name: 'an error by its event field',
    bytes: 'event: error\ndata: no such model\n\n',
    end: reported('no such model'),
  },
  {
    name: 'an object by its event field',
    bytes: `event: error\ndata: ${json({ message: 'no such model' })}\n\n`,
    end: reported('no such model'),
  },
  {
    name: 'an error in a field of its own',
    bytes: `error: ${json({ code: 500, message: 'no memory' })}\n\n`,
    end: reported('no memory', true),
  },
  {
    name: 'an error as the text of an event',
    bytes: 'data: [ERROR] no such model\n\n',
    end: reported('[ERROR] no such model'),
  },
  {
    name: 'an error in JSON text',
    bytes: json({ error: json({ error: { message: 'no such model' } }) }),
    end: reported('no such model'),
  },
  {
    name: 'an error in a list',
    bytes: json([{ error: { message: 'no such model' } }]),
    end: reported('no such model'),
  },
  {
    name: 'a field that is wrong',
    bytes: json(FIELD),
    end: reported('body.stream_options: Extra inputs are not permitted'),
  },
  {
    name: 'an error nested deep without words',
    bytes: json({ error: NESTED }),
    end: reported(json(NESTED)),
  },
  {
    name: 'words and nothing of an answer',
    bytes: json({ message: 'no such route' }),
    end: reported('no such route'),
  },
  {
    name: 'words and [DONE]',
    bytes: `data: ${json({ message: 'no such route' })}\n\ndata: [DONE]\n\n`,
    end: reported('no such route'),
  },
  {
    name: 'a text',
    bytes: 'upstream is asleep\n',
    end: failure(/something that is not a model's answer \(upstream is asleep\)$/, true),
  },
  {
    name: 'a web page',
    bytes: '<!doctype html>\n<title>Sign in</title>\n',
    end: failure(/sent a web page, not a model's answer; check endpoint$/),
  },
  { name: 'nothing', bytes: '', end: failure(/something that is not a model's answer$/, true) },
  {
    name: 'only [DONE]',
    bytes: 'data: [DONE]\n\n',
    end: failure(/something that is not a model's answer$/, true),
  },
  ...[`{"choices":${DEEP}}`, `{"error":${DEEP}}`, DEEP].map((bytes) => ({
    name: `JSON nested 500,000 deep that begins with ${bytes.slice(0, 10)}`,
    bytes: `data: ${bytes}\n\n`,
    end: failure(/something that is not a model's answer$/, true),
  })),
  {
    name: 'JSON nested 500,000 deep of 400',
    status: 400,
    bytes: `{"error":${DEEP}}`,
    end: refused('Bad Request'),
  },
  {
    name: 'an error of 400',
    status: 400,
    bytes: json({ error: { message: 'no such voice' } }),
    end: refused('no such voice'),
  },
  {
    name: 'a text of 400',
    status: 400,
    bytes: json({ error: 'no such voice' }),
    end: refused('no such voice'),
  },
  { name: 'a plain text of 400', status: 400, bytes: 'no such voice\n', end: refused('no such voice') },
  {
    name: 'a field that is wrong of 400',
    status: 400,
    bytes: json(FIELD),
    end: refused('body.stream_options: Extra inputs are not permitted'),
  },
  {
    name: "another provider's words of 400",
    status: 400,
    bytes: json({
      error: { message: 'Provider failed', metadata: { raw: json({ error: { message: 'no such voice' } }) } },
    }),
    end: refused('Provider failed: no such voice'),
  },
  {
    name: 'a web page of 400',
    status: 400,
    bytes: '<html><body>Bad</body></html>',
    end: refused("a web page, not a model's answer"),
  },
  {
    name: 'status 408',
    status: 408,
    bytes: json({ error: 'too slow' }),
    end: failure(/status 408; try again in a while \(too slow\)$/, true),
  },
  {
    name: 'status 409',
    status: 409,
    bytes: json({ error: 'a model is loading' }),
    end: failure(/status 409; .{0,40}\(a model is loading\)$/, true),
  },
  {
    name: 'a delay in its error',
    status: 429,
    bytes: json({ error: { code: 429, message: 'slow down', details: [{ retryDelay: '37.5s' }] } }),
    end: { ...failure(/limit of requests is reached; try again in 37.5 ?s/, true), retryAfterMs: 37_500 },
  },
  {
    name: 'a delay in its headers',
    status: 429,
    headers: { 'retry-after': '7' },
    bytes: '',
    end: { retryAfterMs: 7_000 },
  },
  ...['EMPTY', 'ollama', 'x', 'lm-studio'].map((apiKey) => ({
    name: `the key ${apiKey} in its words`,
    apiKey,
    status: 400,
    bytes: json({ error: `exceeds ${apiKey}, an EMPTY ollama` }),
    end: refused(`exceeds ${apiKey}, an EMPTY ollama`),
  })),
  {
    name: 'the key in its words',
    apiKey: 'hunter2-hunter2',
    status: 400,
    bytes: json({ error: 'not hunter2-hunter2' }),
    end: refused('not [key]'),
  },
]
