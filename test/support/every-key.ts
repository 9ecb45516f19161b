import { parse } from 'smol-toml'
import { z } from 'zod'
import { fileSchema } from '../../src/server/config/schema.ts'
import { keysOf, type Schema } from '../checks/config-keys.ts'
import { rawServer } from './mcp/raw-servers.ts'

/** What other backends of models have, a server by its address, which is none by its command, a database server, and a bus; test/unit/server/config/load.test.ts. */
const BY_ADDRESS =
  /^(models\[\]\.(api|reasoning_effort)|mcp\[\]\.(url|token_env|header_env|oauth\b.*)|storage\.(url|url_env)|bus\..*)$/

/** Every other key of the file, with a server at `endpoint` for what goes over the network. */
export const everyKey = (endpoint: string, dir: string): string => `
[server]
access = "open"
motd = "a word of welcome"
admins = []
invites = "members"
user_ca = []
host_keys = []
proxies = ["192.0.2.0/24"]

[[models]]
name = "qwen"
backend = "ollama"
model = "qwen3:8b"
endpoint = "${endpoint}"
api_key_env = "QWEN_KEY"
context_window = 16000
max_output = 1000
encoding = "o200k_base"
system_prompt = "Be kind."
keep_alive = "5m"
endpoint_is_whole = false
header_env = { X-Key = "QWEN_KEY" }
temperature = 0.7
top_p = 0.9
seed = 1
stop = ["END"]
effort = "low"
think = true
options = { top_k = 40 }
extra_body = { logprobs = true }
price = { input = 2.5, cached = 0.25, output = 10 }
fallback = "guide"
tools = "none"
images = true
enabled = true

[[mcp]]
name = "holler"
command = ${JSON.stringify(rawServer('usual'))}
env = { KEY = "k" }
pass_env = ["QWEN_KEY"]
sandbox = false
cwd = "."
trust = "ask"

[tools]
dirs = ["${dir}"]
modules = []
disabled = []
timeout_s = 60
allow = { read = "requester", write = "requester", execute = "requester", network = "requester" }

[tools.web]
fetch = true
ports = [80]

[tools.web.search]
provider = "google"
url = "${endpoint}"
api_key_env = "SEARCH_KEY"
engine_id = "cx"

[sandbox]
mode = "none"
disk_mb = 64
memory_mb = 128
workspaces = {}
rooms_dir = "${dir}/rooms"

[lua]
engine = "wasmoon"

[routines]
enabled = true

[routines.allow]
remind = "members"
every = "members"
watch = "ops"
listen = "ops"
remember = "ops"

[memory]
summarizer = "qwen"

[http]
hosts = ["chat.example.org"]
origins = ["https://chat.example.org"]
proxies = ["127.0.0.1"]

[[webhooks]]
name = "ci"
url = "${endpoint}/hook"
rooms = ["den"]
header_env = { X-Key = "QWEN_KEY" }

[notify]
allow = ["${new URL(endpoint).origin}"]

[limits]
turns_per_room = 1
${Object.entries(fileSchema.parse({}).limits)
  .filter(([key]) => key !== 'turns_per_room')
  .map(([key, value]) => `${key} = ${value}`)
  .join('\n')}
`

/** The keys of the schema that this text of a config leaves out. */
export const leftOutOf = (text: string): readonly string[] => {
  const keys = keysOf(z.toJSONSchema(fileSchema, { io: 'input' }) as Schema)
  return keys.filter((key) => !BY_ADDRESS.test(key) && !isIn(key, parse(text)))
}

function isIn(path: string, value: unknown): boolean {
  const [key = '', ...rest] = path.split('.')
  const inner = (value as Readonly<Record<string, unknown>>)[key.replace('[]', '')]
  const first: unknown = Array.isArray(inner) && key.endsWith('[]') ? inner[0] : inner
  return rest.length === 0 ? first !== undefined : first !== undefined && isIn(rest.join('.'), first)
}
