-- What a script can reach, and nothing else. This file runs once in each Lua state, with the real
-- libraries, and returns the function that runs one composition. Every composition gets environments of
-- its own, so that nothing a script leaves behind is there for the next one.

local modules = ...            -- name -> a compiled chunk that takes its environment
local TIME_LIMIT = "the script ran out of its time"
local MEMORY_LIMIT = "not enough memory$"

local real = {
  error = error, getmetatable = getmetatable, load = load, next = next, pcall = pcall,
  rawget = rawget, setmetatable = setmetatable, tostring = tostring, type = type,
  pack = table.pack, unpack = table.unpack, sort = table.sort, concat = table.concat,
  randomseed = math.randomseed, getinfo = debug.getinfo, match = string.match,
  thread = coroutine and coroutine.create, resume = coroutine and coroutine.resume,
}

-- An address differs from process to process, and the same snapshot must give the same bytes. So the text of a
-- table is "table", and neither %p nor string.pack is available.
local has_address = { table = true, ["function"] = true, thread = true, userdata = true }
local format, gsub, find, sub = string.format, string.gsub, string.find, string.sub

local function text_of(...)
  local value = ...
  if not has_address[real.type(value)] then return real.tostring(...) end
  return (gsub(real.tostring(value), ": 0x%x+$", ""))
end

tostring = text_of

string.format = function(pattern, ...)
  if real.type(pattern) == "string" and find(gsub(pattern, "%%%%", ""), "%%[-+ #%d.]*p") then
    real.error("string.format: %p is not available to scripts", 2)
  end
  local values = real.pack(...)
  for index = 1, values.n do
    if has_address[real.type(values[index])] then values[index] = text_of(values[index]) end
  end
  local ok, text = real.pcall(format, pattern, real.unpack(values, 1, values.n))
  if not ok then real.error(gsub(gsub(text, "^lua/sandbox%.lua:%d+: ", ""), "'%?'", "'format'", 1), 2) end
  return text
end
string.pack, string.unpack, string.packsize = nil, nil, nil

-- All strings of a state share one metatable, so no script may get it.
real.getmetatable("").__metatable = false
-- Scripts cannot call the collector, so its mode is set here.
collectgarbage("generational")

local plain = {
  "assert", "error", "ipairs", "rawequal", "rawget", "rawlen", "rawset",
  "select", "tonumber", "tostring", "type", "_VERSION",
}
local libraries = { string = string, table = table, math = math, utf8 = utf8 }

local function copy(library)
  local result = {}
  for name, value in real.next, library do result[name] = value end
  return result
end

-- A script can catch errors, but not its limits. A loop around pcall would never end; and when memory is used up depends
-- on the collector, which may not make a difference to a prompt.
local function settle(ok, ...)
  local message = ...
  if not ok and (message == TIME_LIMIT or real.type(message) == "string" and find(message, MEMORY_LIMIT)) then
    real.error(message, 0)
  end
  return ok, ...
end

local function protected_call(f, ...)
  return settle(real.pcall(f, ...))
end

local function handled_call(f, handler, ...)
  local results = real.pack(protected_call(f, ...))
  if results[1] then return real.unpack(results, 1, results.n) end
  return false, handler(results[2])
end

-- Lua itself hides a metatable whose __metatable is false; not every engine does.
local function get_metatable(subject)
  local metatable = real.getmetatable(subject)
  if real.type(metatable) == "table" and real.rawget(metatable, "__metatable") == false then return false end
  return metatable
end

-- A finalizer would run at some later time, in somebody else's composition; what is left of a weak table depends on
-- when the collector ran.
local refused_fields = { "__gc", "__mode" }

local function set_metatable(subject, metatable)
  if get_metatable(subject) == false then real.error("cannot change a protected metatable", 2) end
  for _, name in real.next, refused_fields do
    if real.type(metatable) == "table" and real.rawget(metatable, name) ~= nil then
      real.error("setmetatable: " .. name .. " is not available to scripts", 2)
    end
  end
  return real.setmetatable(subject, metatable)
end

local rank = { number = 1, string = 2, boolean = 3 }
local function in_order(a, b)
  local left, right = rank[real.type(a)] or 4, rank[real.type(b)] or 4
  if left ~= right then return left < right end
  if left <= 2 then return a < b end
  if left == 3 then return a and not b end
  return false
end

-- Lua's own order of keys changes from process to process; the same snapshot must give the same bytes. Tables and
-- functions have no order of their own.
local function keys_of(subject)
  local keys, unordered = {}, 0
  for key in real.next, subject do
    keys[#keys + 1] = key
    if not rank[real.type(key)] then unordered = unordered + 1 end
  end
  if unordered > 1 then
    real.error("pairs: this table has several keys that are tables or functions, which have no order; use a list", 3)
  end
  real.sort(keys, in_order)
  return keys
end

local function need_table(subject, name)
  if real.type(subject) == "table" then return end
  real.error("bad argument #1 to '" .. name .. "' (table expected, got " .. real.type(subject) .. ")", 3)
end

local function ordered_pairs(subject)
  local metatable = real.getmetatable(subject)
  local custom = real.type(metatable) == "table" and metatable.__pairs
  if custom then return custom(subject) end
  need_table(subject, "pairs")
  local keys, at = keys_of(subject), 0
  return function()
    while at < #keys do
      at = at + 1
      local key = keys[at]
      local value = real.rawget(subject, key)
      if value ~= nil then return key, value end
    end
  end, subject, nil
end

-- Keeps the order of the table that it went through last.
local function new_next()
  local known, keys, places
  local function learn(subject)
    known, keys, places = subject, keys_of(subject), {}
    for place, key in real.next, keys do places[key] = place end
  end
  return function(subject, key)
    need_table(subject, "next")
    if key == nil and real.next(subject) == nil then return nil end
    if key == nil or known ~= subject or places[key] == nil then learn(subject) end
    local place = key == nil and 0 or places[key]
    if not place then real.error("invalid key to 'next'", 2) end
    for after = place + 1, #keys do
      local value = real.rawget(subject, keys[after])
      if value ~= nil then return keys[after], value end
    end
    return nil
  end
end

local function text_loader(environment)
  return function(chunk, name, _, own)
    if real.type(chunk) ~= "string" then return nil, "load: the chunk must be text" end
    return real.load(chunk, name or "=load", "t", own or environment)
  end
end

local function new_environment()
  local environment = {
    pairs = ordered_pairs, pcall = protected_call, xpcall = handled_call, getmetatable = get_metatable,
    setmetatable = set_metatable, next = new_next(),
  }
  for _, name in real.next, plain do environment[name] = _G[name] end
  for name, library in real.next, libraries do environment[name] = copy(library) end
  environment.string.dump = nil
  environment.math.randomseed = nil
  environment.load = text_loader(environment)
  environment._G = environment
  return environment
end

local function module_names()
  local names = {}
  for name in real.next, modules do names[#names + 1] = name end
  real.sort(names)
  return names
end

-- `given` are modules that are not files; only the bundle gets them.
local function loader(core, given, loaded)
  return function(name)
    if given and given[name] ~= nil then return given[name] end
    local chunk = modules[name]
    if not chunk then
      real.error('there is no module "' .. real.tostring(name) .. '"; there are ' ..
        real.concat(module_names(), ", "), 2)
    end
    if loaded[name] == nil then loaded[name] = chunk(core) end
    return loaded[name]
  end
end

-- The host knows its newest answers that are texts, so many of them, by their numbers: so these need not go back to it.
-- src/wrap/lua/given-texts.ts counts them in the same way.
local MAX_TEXTS = 16

local function new_texts()
  local count, kept = 0, {}
  local texts = {}
  function texts.keep(text)
    count = count + 1
    kept[count % MAX_TEXTS] = text
  end
  function texts.number_of(text)
    for number = count, count - MAX_TEXTS + 1, -1 do
      if kept[number % MAX_TEXTS] == text then return number end
    end
    return nil
  end
  return texts
end

-- The host answers with a piece of Lua, `return …` or `error(…)`, or with a text, which the second value says.
local function asker(host, core, where, texts)
  local encode = core.require("json").encode
  local function refuse(message) real.error(where() .. message, 0) end
  return function(name, argument)
    local answer, is_text = host(name, encode(argument))
    if not is_text then return real.load(answer, "=host", "t", { error = refuse })() end
    texts.keep(answer)
    return answer
  end
end

-- Gives the beginning of an error message: the line of the room's script that is running. Lua forgets a function
-- that ended with `return wrap(…)`; then it is the line where default_wrap begins, or the hook that runs.
local function locator(own, main)
  return function()
    for level = 2, 200 do
      local frame = real.getinfo(level, "Sl")
      if not frame then break end
      if frame.source == "=script" then return "script:" .. frame.currentline .. ": " end
    end
    local frame = real.type(own[main]) == "function" and real.getinfo(own[main], "S")
    return frame and frame.source == "=script" and "script:" .. frame.linedefined .. ": " or ""
  end
end

-- Bytes of what is printed at once: the host shows fewer, and a long text takes time on its way there.
local MAX_PRINTED = 2000

local function printer(host)
  return function(...)
    local values = real.pack(...)
    for index = 1, values.n do
      local value = values[index]
      values[index] = text_of(real.type(value) == "string" and sub(value, 1, MAX_PRINTED) or value)
    end
    host("print", sub(real.concat(values, "\t", 1, values.n), 1, MAX_PRINTED))
  end
end

-- Where the newest error that is not text was raised: only an engine with coroutines knows it without this.
local raised_at = ""

local function raiser(where)
  return function(value, level)
    raised_at = real.type(value) == "string" and "" or where()
    real.error(value, level == 0 and 0 or (level or 1) + 1)
  end
end

local function compose(script, data, host)
  real.randomseed(0)
  local core, own, loaded = new_environment(), new_environment(), {}
  local snapshot = data()
  local where = locator(own, snapshot.hook and snapshot.hook.name or "default_wrap")
  local texts = new_texts()
  local given = { snapshot = snapshot, where = where, modules = module_names(), texts = texts }
  core.require = loader(core, given, loaded)
  given.host = asker(host, core, where, texts)
  own.require = loader(core, nil, loaded)
  own.print = printer(given.host)
  if not real.thread then own.error = raiser(where) end
  return core.require("wrap").compose(own, modules["default"], script)
end

-- The line of the room's script that an error came from, whatever raised it. After an error the stack of a coroutine is
-- still there.
local function line_in(thread)
  for level = 0, 200 do
    local frame = real.getinfo(thread, level, "Sl")
    if not frame then return "" end
    if frame.source == "=script" then return "script:" .. frame.currentline .. ": " end
  end
  return ""
end

local function located(message, line)
  if real.type(message) ~= "string" then
    message = "the script raised an error that is not text but a " .. real.type(message)
  end
  if line == "" or real.match(message, "^script:%d+: ") then return message end
  return line .. gsub(message, "^lua/[a-z]+%.lua:%d+: ", "")
end

-- Returns true and the result as JSON, or false and a message that is always a string.
return function(...)
  if not real.thread then
    local ok, result = real.pcall(compose, ...)
    return ok, ok and result or located(result, real.type(result) == "string" and "" or raised_at)
  end
  local thread = real.thread(compose)
  local ok, result = real.resume(thread, ...)
  return ok, ok and result or located(result, line_in(thread))
end
