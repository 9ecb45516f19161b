-- `tools.*`: what a script can know. Everything comes from the snapshot, so nothing here waits, and the
-- same snapshot gives the same answers. src/wrap/run-layers.ts answers what is asked of the host.

local host = require "host"
local snapshot = require "snapshot"
local where = require "where"

local tools = {}

local function refuse(message, value)
  error(where() .. message .. ", got " .. (type(value) == "table" and "a table" or tostring(value)), 0)
end

-- { {name, id, description, schema, source, access, tokens}, … }: the room's tools that this scope shows.
function tools.available_tools(scope)
  return host("available_tools", scope)
end

-- The tools that the budget has space for: a text that lists them, and their number for the option `tools` of
-- add_layer. `words` are the texts around their lines, which may be left out.
function tools.select_tools(scope, words)
  local chosen = host("select_tools", { scope = scope, words = words })
  return host("selected_text"), chosen
end

-- What select_tools chose, for a text of one's own: rows as of available_tools, with `form` ("full", "short",
-- "deferred"), and description and schema as they are sent in that form.
function tools.selected_tools(chosen)
  if type(chosen) ~= "number" then refuse("tools.selected_tools: takes what tools.select_tools chose", chosen) end
  return host("selected_tools", chosen)
end

-- Ids of rows are written in these letters: https://github.com/ulid/spec.
local function is_place(value)
  if type(value) == "number" then return value == value end
  return type(value) == "string" and #value >= 10 and not string.find(value, "[^0-9A-HJKMNP-TV-Z]")
end

local known_options = { agents = true, before = true, kinds = true, limit = true, since = true, skip = true, steps = true }

local function check_names(options)
  for name in pairs(options) do
    if not known_options[name] then
      local names = {}
      for known in pairs(known_options) do names[#names + 1] = known end
      refuse("tools.history: the options are " .. table.concat(names, ", "), name)
    end
  end
end

local function history_options(options)
  if options == nil then options = {} end
  if type(options) == "number" then options = { limit = options } end
  if type(options) ~= "table" then refuse("tools.history: options must be a number or a table", options) end
  check_names(options)
  local limit = options.limit == nil and 200 or options.limit
  if math.type(limit) ~= "integer" or limit < 0 then
    refuse("tools.history: limit must be a whole number, 0 or more", limit)
  end
  if options.kinds ~= nil and type(options.kinds) ~= "table" then
    refuse('tools.history: kinds must be a list such as {"message"}', options.kinds)
  end
  if options.agents ~= nil and type(options.agents) ~= "boolean" then
    refuse("tools.history: agents must be true or false", options.agents)
  end
  local since = options.since
  if since ~= nil and not is_place(since) then
    refuse("tools.history: since must be an id or a time in milliseconds", since)
  end
  local skip = options.skip == nil and 0 or options.skip
  if math.type(skip) ~= "integer" or skip < 0 then
    refuse("tools.history: skip must be a whole number, 0 or more", skip)
  end
  local before = options.before
  if before ~= nil and not is_place(before) then
    refuse("tools.history: before must be an id or a time in milliseconds", before)
  end
  if options.steps ~= nil and type(options.steps) ~= "boolean" then
    refuse("tools.history: steps must be true or false", options.steps)
  end
  return {
    limit = limit, skip = skip, before = before, kinds = options.kinds, agents = options.agents ~= false, since = since,
    steps = options.steps == true,
  }
end

-- The newest rows that match, oldest first: history(20), or history{limit, skip, before, since, agents,
-- kinds}. `skip` passes over so many of the newest; `before` and `since` are a row's id or a time in
-- milliseconds; `agents = false` leaves out what models did. A call counts once, with its results.
function tools.history(options)
  return host("history", history_options(options))
end

-- The same entries as one text, each on a line of its own. The later lines of an entry are indented, and a
-- tool's result stands under its call. With `steps` up to a quarter of `limit` is left out, so that the text
-- begins alike for many turns, which a provider's cache needs.
function tools.conversation(options)
  return host("conversation", history_options(options))
end

-- The number of such a text, which stays at the host; nil if it is empty. wrap.lua takes this from `tools`.
function tools.unread_conversation(options)
  return host("unread_conversation", history_options(options))
end

-- What stands for what was said before the newest entries: {text, first, last, author, at, version}; nil
-- where there is none.
function tools.summary() return snapshot.summary end

-- What the room instructs this model with /instruct: texts, or none.
function tools.instructions() return snapshot.instructions or {} end

-- What people asked to remember of this room: rows {number, author, text}, oldest first, or none.
function tools.memory() return snapshot.memory or {} end

-- The persona that was asked: {name, text}; nil if the model itself was.
function tools.persona() return snapshot.persona end

function tools.look() return snapshot.room end
function tools.who() return snapshot.present end
function tools.exits() return snapshot.room.exits end
function tools.todo() return snapshot.room.todo end
function tools.current_model() return snapshot.model end
function tools.current_user() return snapshot.user end

-- What is composed: {room, model, user, target, script_version}.
function tools.session() return snapshot.session end

-- One of the room's key-values, or nil.
function tools.room_kv_get(key)
  if type(key) ~= "string" then refuse("tools.room_kv_get: the key must be text", key) end
  return snapshot.values[key]
end

-- JSON keeps whole numbers up to this, and no infinite ones.
local MAX_EXACT = 9007199254740991

-- A table that is nested too deep is refused when it is written.
local function check_numbers(value, depth)
  if type(value) == "table" and depth < 64 then
    for _, inner in next, value do check_numbers(inner, depth + 1) end
  elseif type(value) == "number" then
    if value ~= value or value == math.huge or value == -math.huge then
      refuse("tools.room_kv_set: a number must be finite", value)
    end
    if math.type(value) == "integer" and (value > MAX_EXACT or value < -MAX_EXACT) then
      refuse("tools.room_kv_set: a whole number beyond 2^53 loses digits; store it as text", value)
    end
  end
end

-- Stores a key-value of the room once the hook has ended; nil removes it. Only after_turn, on_message
-- and on_program_line can.
function tools.room_kv_set(key, value)
  if type(key) ~= "string" then refuse("tools.room_kv_set: the key must be text", key) end
  if type(value) == "function" then refuse("tools.room_kv_set: a value is text, a number, a boolean or a table", "a function") end
  check_numbers(value, 0)
  snapshot.values[key] = host("room_kv_set", { key = key, value = value })
end

-- Tokens of a text in the model's encoding.
function tools.count_tokens(text)
  if type(text) ~= "string" and type(text) ~= "number" then refuse("tools.count_tokens: takes text", text) end
  return host("count_tokens", tostring(text))
end

-- Adds a line to the warnings of /wrap: log("info", "…").
function tools.log(level, text)
  host("log", { level = tostring(level), text = tostring(text) })
end

-- The snapshot's time in milliseconds since 1970: the only clock there is.
function tools.now() return snapshot.now or host("now") end

return tools
