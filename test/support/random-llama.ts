import { writeFile } from 'node:fs/promises'

const WIDTH = 64
const HEADS = 4
const KV_HEADS = 2
const HEAD_WIDTH = WIDTH / HEADS
const FEED_FORWARD = 128
const LAYERS = 2

const UNKNOWN = 0
const BEGIN = 1
const END = 2
const FIRST_BYTE = 3
const LAST_OF_TEMPLATE = FIRST_BYTE + '>'.charCodeAt(0)
/** A blank in texts of this tokenizer. */
const BLANK = '\u2581'

const KIND = { normal: 1, unknown: 2, control: 3, byte: 6 } as const

const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0')

interface Token {
  readonly text: string
  readonly kind: number
}

const VOCABULARY: readonly Token[] = [
  { text: '<unk>', kind: KIND.unknown },
  { text: '<s>', kind: KIND.control },
  { text: '</s>', kind: KIND.control },
  ...Array.from({ length: 256 }, (_, byte) => ({ text: `<0x${hex(byte)}>`, kind: KIND.byte })),
  { text: BLANK, kind: KIND.normal },
]

const TEMPLATE = [
  '{% if tools %}<tools>{{ tools | tojson }}</tools>{% endif %}',
  '{% for message in messages %}<{{ message.role }}>{{ message.content }}\n{% endfor %}',
  '{% if add_generation_prompt %}<assistant>{% endif %}',
].join('')

/**
 * Writes a model of the llama architecture with random weights, the same ones each time, which has a token for
 * each byte. It writes small letters, and ends after a few of them.
 */
export async function writeRandomLlama(file: string): Promise<void> {
  const tensors = randomTensors()
  const facts = modelFacts()
  const infos: Buffer[] = []
  let offset = 0
  for (const { name, shape, values } of tensors) {
    infos.push(string(name), u32(shape.length), ...shape.map(u64), u32(F32), u64(offset))
    offset += values.byteLength
  }
  const head = Buffer.concat([
    ...[Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(facts.length)],
    ...facts,
    ...infos,
  ])
  // Each tensor is a multiple of the alignment.
  const padding = Buffer.alloc(-head.length & (ALIGNMENT - 1))
  await writeFile(file, [head, padding, ...tensors.map(({ values }) => new Uint8Array(values.buffer))])
}

/** The facts that llama.cpp needs (github.com/ggml-org/ggml, docs/gguf.md). */
const modelFacts = (): readonly Buffer[] => [
  fact('general.architecture', STRING, string('llama')),
  fact('llama.context_length', U32, u32(65_536)),
  fact('llama.embedding_length', U32, u32(WIDTH)),
  fact('llama.block_count', U32, u32(LAYERS)),
  fact('llama.feed_forward_length', U32, u32(FEED_FORWARD)),
  fact('llama.attention.head_count', U32, u32(HEADS)),
  fact('llama.attention.head_count_kv', U32, u32(KV_HEADS)),
  fact('llama.attention.layer_norm_rms_epsilon', F32_VALUE, f32(1e-5)),
  fact('llama.rope.dimension_count', U32, u32(HEAD_WIDTH)),
  fact('tokenizer.ggml.model', STRING, string('llama')),
  ofTokens('tokens', STRING, ({ text }) => string(text)),
  ofTokens('scores', F32_VALUE, () => f32(0)),
  ofTokens('token_type', I32, ({ kind }) => u32(kind)),
  fact('tokenizer.ggml.unknown_token_id', U32, u32(UNKNOWN)),
  fact('tokenizer.ggml.bos_token_id', U32, u32(BEGIN)),
  fact('tokenizer.ggml.eos_token_id', U32, u32(END)),
  fact('tokenizer.ggml.add_space_prefix', BOOL, Buffer.from([0])),
  fact('tokenizer.chat_template', STRING, string(TEMPLATE)),
]

interface Tensor {
  readonly name: string
  /** The dimension whose values lie side by side first. */
  readonly shape: readonly number[]
  readonly values: Float32Array
}

function randomTensors(): readonly Tensor[] {
  const random = randomNumbers(1)
  const tensor = (name: string, shape: readonly number[], value: (index: number) => number): Tensor => ({
    ...{ name: `${name}.weight`, shape },
    values: Float32Array.from({ length: shape.reduce((product, size) => product * size, 1) }, (_, index) =>
      value(index),
    ),
  })
  const weights = (name: string, width: number, height: number): Tensor =>
    tensor(name, [width, height], () => random() * 0.2)
  const norm = (name: string): Tensor => tensor(name, [WIDTH], () => 1)
  const layers = Array.from({ length: LAYERS }, (_, index) => `blk.${index}`).flatMap((layer) => [
    norm(`${layer}.attn_norm`),
    weights(`${layer}.attn_q`, WIDTH, WIDTH),
    weights(`${layer}.attn_k`, WIDTH, KV_HEADS * HEAD_WIDTH),
    weights(`${layer}.attn_v`, WIDTH, KV_HEADS * HEAD_WIDTH),
    weights(`${layer}.attn_output`, WIDTH, WIDTH),
    norm(`${layer}.ffn_norm`),
    weights(`${layer}.ffn_gate`, WIDTH, FEED_FORWARD),
    weights(`${layer}.ffn_up`, WIDTH, FEED_FORWARD),
    weights(`${layer}.ffn_down`, FEED_FORWARD, WIDTH),
  ])
  // Of the numbers of a token that is read, the first is always the same: then the first of a token that is written
  // says how likely it is. The second keeps an answer from ending right after the template.
  return [
    tensor('token_embd', [WIDTH, VOCABULARY.length], (at) => {
      if (at % WIDTH === 1) return Math.floor(at / WIDTH) === LAST_OF_TEMPLATE ? -8 : 0
      return at % WIDTH === 0 ? 4 : random()
    }),
    ...layers,
    norm('output_norm'),
    tensor('output', [WIDTH, VOCABULARY.length], (at) => {
      if (at % WIDTH === 1) return Math.floor(at / WIDTH) === END ? 4 : 0
      return at % WIDTH === 0 ? likelihood(at / WIDTH) : random() * 0.1
    }),
  ]
}

function likelihood(token: number): number {
  const { text } = VOCABULARY[token]!
  if (token === END) return 0.7
  return /^<0x(?:6[1-9A-F]|7[0-9A])>$/.test(text) ? 1 : -10
}

/** From -1 to 1 (the linear congruence of Numerical Recipes). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 31 - 1
  }
}

// Numbers of GGUF's types: of a tensor, then of facts.
const F32 = 0
const U32 = 4
const I32 = 5
const F32_VALUE = 6
const BOOL = 7
const STRING = 8
const ARRAY = 9

const ALIGNMENT = 32

const fact = (name: string, type: number, value: Buffer): Buffer =>
  Buffer.concat([string(name), u32(type), value])

const ofTokens = (name: string, type: number, value: (token: Token) => Buffer): Buffer =>
  fact(
    `tokenizer.ggml.${name}`,
    ARRAY,
    Buffer.concat([u32(type), u64(VOCABULARY.length), ...VOCABULARY.map(value)]),
  )

function string(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([u64(bytes.length), bytes])
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}
