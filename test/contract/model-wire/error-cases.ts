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
    name: 'a message and nothing else',
    bytes: json({ message: 'no such route' }),
    end: reported('no such route'),
  },
  {
    name: 'a message and [DONE]',
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
  {
    name: 'JSON of unknown keys',
    bytes: json({ choices: null, base_resp: { status_msg: 'no credit' }, rest: 'x'.repeat(2_000) }),
    end: failure(/not a model's answer \(\{.{0,50}"no credit".{0,60}\)$/, true),
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
    name: 'JSON nested 500,000 deep with status 400',
    status: 400,
    bytes: `{"error":${DEEP}}`,
    end: refused('Bad Request'),
  },
  {
    name: 'an error with status 400',
    status: 400,
    bytes: json({ error: { message: 'no such voice' } }),
    end: refused('no such voice'),
  },
  {
    name: 'an error text with status 400',
    status: 400,
    bytes: json({ error: 'no such voice' }),
    end: refused('no such voice'),
  },
  {
    name: 'an error word and a message with status 400',
    status: 400,
    bytes: json({ status: 400, error: 'Bad Request', message: 'no such voice' }),
    end: refused('Bad Request: no such voice'),
  },
  {
    name: 'one message twice with status 400',
    status: 400,
    bytes: json({ error: 'no such voice', message: 'no such voice' }),
    end: refused('no such voice'),
  },
  {
    name: 'JSON of unknown keys with status 400',
    status: 400,
    bytes: json({ reason: 'no such voice' }),
    end: refused('{"reason":"no such voice"}'),
  },
  { name: 'broken JSON with status 400', status: 400, bytes: '{"reason":"no', end: refused('Bad Request') },
  {
    name: 'a null reason with status 400',
    status: 400,
    bytes: '{"reason":null}',
    end: refused('Bad Request'),
  },
  {
    name: 'words that resemble API keys',
    status: 400,
    bytes: json({ error: 'skip_special_tokens of sketch-writer-7b' }),
    end: refused('skip_special_tokens of sketch-writer-7b'),
  },
  {
    name: 'API keys of others in its message',
    status: 400,
    bytes: json({ error: 'not sk-proj-Abcdefgh, pk_1234567890, sk-********wxyz' }),
    end: refused('not [key], [key], [key]'),
  },
  {
    name: 'no function calling',
    status: 400,
    bytes: json({ error: { message: 'qwen does not support Function Calling' } }),
    end: { refusal: { kind: 'no-tools' } },
  },
  {
    name: 'functions that its version does not take',
    status: 404,
    bytes: json({ error: { message: 'Functions are not supported for this API version' } }),
    end: { refusal: { kind: 'no-tools' } },
  },
  {
    name: 'roles that must alternate',
    status: 500,
    bytes: json({ error: { message: 'Conversation roles must alternate user/assistant' } }),
    end: { refusal: { kind: 'no-system-role' }, retryable: false },
  },
  {
    name: 'a plain text with status 400',
    status: 400,
    bytes: 'no such voice\n',
    end: refused('no such voice'),
  },
  {
    name: 'a field error with status 400',
    status: 400,
    bytes: json(FIELD),
    end: refused('body.stream_options: Extra inputs are not permitted'),
  },
  {
    name: 'a nested error of another provider with status 400',
    status: 400,
    bytes: json({
      error: { message: 'Provider failed', metadata: { raw: json({ error: { message: 'no such voice' } }) } },
    }),
    end: refused('Provider failed: no such voice'),
  },
  {
    name: 'a web page with status 400',
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
    name: 'a retry delay in its error',
    status: 429,
    bytes: json({ error: { code: 429, message: 'slow down', details: [{ retryDelay: '37.5s' }] } }),
    end: { ...failure(/limit of requests is reached; try again in 37.5 ?s/, true), retryAfterMs: 37_500 },
  },
  {
    name: 'a retry delay in its headers',
    status: 429,
    headers: { 'retry-after': '7' },
    bytes: '',
    end: { retryAfterMs: 7_000 },
  },
  ...['EMPTY', 'ollama', 'x', 'lm-studio'].map((apiKey) => ({
    name: `the placeholder key ${apiKey} in its message`,
    apiKey,
    status: 400,
    bytes: json({ error: `exceeds ${apiKey}, an EMPTY ollama` }),
    end: refused(`exceeds ${apiKey}, an EMPTY ollama`),
  })),
  {
    name: 'the API key in its message',
    apiKey: 'hunter2-hunter2',
    status: 400,
    bytes: json({ error: 'not hunter2-hunter2' }),
    end: refused('not [key]'),
  },
]
