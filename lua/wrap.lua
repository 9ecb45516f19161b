-- The builder: `wrap(target)` starts one, each call adds a layer, and the host fills the budget with them
-- in order of priority. Each file in layers/ is a method of the same name. `compose`, at the end, is what the
-- host runs for each prompt.

local encode = require("json").encode -- taken now: a script can change the module, not what is used here
local names = require "modules"
local snapshot = require "snapshot"
local texts = require "texts"
local tools = require "tools"
local where = require "where"

-- Taken now, because a script may put a function of its own there; and away, because scripts read texts.
local conversation, unread_conversation = tools.conversation, tools.unread_conversation
tools.unread_conversation = nil

local MAX_LAYERS = 200
local trims = { none = true, head = true, tail = true, oldest = true }
local placements = { context = true, late = true }
local options = {
  required = "boolean", trim = "string", heading = "string", max_tokens = "number", tools = "number", placement = "string",
}
local wanted = { tools = "what tools.select_tools chose" }

local persona_words = "## Who you are here\nIn this room you are @%s: people call you by writing @%s. Those who manage this room ask this of you:\n\n%s"

local builder, methods, own_layers = {}, {}, {}
local states = {}
local unread = {} -- what stands for a conversation -> its number

local bundled = {}
for _, name in ipairs(names) do
  local layer = string.match(name, "^layers%.(.+)$")
  if layer then bundled[layer] = name end
end

local function fail(message) error(where() .. "wrap: " .. message, 0) end

local function describe(value)
  if value ~= value then return "NaN" end
  if type(value) == "string" then return string.format("%q", value) end
  if type(value) == "number" or value == nil then return tostring(value) end
  return "a " .. type(value)
end

local function state_of(self)
  return states[self] or fail("call layers with a colon on what wrap() gave, as in wrap(8000):system()")
end

local function check_layer(name, priority, text, is_system, opts)
  local function refuse(message)
    fail(string.format("layer %s: %s", describe(name), message))
  end
  if type(name) ~= "string" or name == "" or #name > 64 then refuse("a name must be text of 1 to 64 bytes") end
  if type(priority) ~= "number" or priority ~= priority or math.abs(priority) == math.huge then
    refuse("priority must be a number, got " .. describe(priority))
  end
  if text ~= nil and type(text) ~= "number" and type(text) ~= "string" then
    refuse("text must be a string, got " .. describe(text))
  end
  if is_system ~= nil and type(is_system) ~= "boolean" then
    refuse("is_system must be true or false, got " .. describe(is_system))
  end
  if opts ~= nil and type(opts) ~= "table" then refuse("opts must be a table, got " .. describe(opts)) end
  for key, value in pairs(opts or {}) do
    if not options[key] then
      refuse("there is no option " .. describe(key) .. "; there are heading, max_tokens, placement, required, tools and trim")
    end
    if type(value) ~= options[key] then
      refuse(string.format("%s must be %s, got %s", key, wanted[key] or "a " .. options[key], describe(value)))
    end
  end
  if opts and opts.trim and not trims[opts.trim] then
    refuse('trim must be "none", "head", "tail" or "oldest", got ' .. describe(opts.trim))
  end
  local placement = opts and opts.placement
  if placement and (not placements[placement] or is_system) then
    refuse('placement must be "context" or "late", and the layer no system layer, got ' .. describe(placement))
  end
  local max = opts and opts.max_tokens
  if max and (math.type(max) ~= "integer" or max < 0) then
    refuse("max_tokens must be a whole number, 0 or more, got " .. describe(max))
  end
end

local function forget(state, name)
  if not state.named[name] then return end
  for index, layer in ipairs(state.layers) do
    if layer.name == name then
      table.remove(state.layers, index)
      state.warnings[#state.warnings + 1] = string.format('layer "%s" is there twice; the last one counts', name)
      return
    end
  end
end

local function put(self, name, priority, text, is_system, opts)
  local state = state_of(self)
  local number = text ~= nil and unread[text] or nil
  if number then text = "" end
  check_layer(name, priority, text, is_system, opts)
  forget(state, name)
  if not number and (text == nil or text == "") then return end
  state.named[name] = true
  if #state.layers >= MAX_LAYERS then fail("there are more than " .. MAX_LAYERS .. " layers") end
  opts = opts or {}
  state.layers[#state.layers + 1] = {
    name = name, priority = priority, text = tostring(text), system = is_system == true,
    required = opts.required == true, trim = opts.trim or "none", heading = opts.heading or "", max_tokens = opts.max_tokens,
    tools = opts.tools, late = opts.placement == "late", conversation = number,
  }
end

-- add_layer(name, priority, text, is_system, opts): all other layers are added through this one.
function methods.add_layer(self, name, priority, text, is_system, opts)
  put(self, name, priority, text, is_system, opts)
  return self
end

-- custom(name, text, priority, is_system, opts): the same, with the arguments in the order that scripts need them.
function methods.custom(self, name, text, priority, is_system, opts)
  if priority == nil then priority = 50 end
  put(self, name, priority, text, is_system, opts)
  return self
end

local function find_layer(name)
  return own_layers[name] or bundled[name] and require(bundled[name])
end

local function layer_names()
  local all = { "add_layer", "custom" }
  for name in pairs(bundled) do all[#all + 1] = name end
  for name in pairs(own_layers) do all[#all + 1] = name end
  table.sort(all)
  return table.concat(all, ", ")
end

local metatable = { __metatable = false, __name = "wrap" }

function metatable.__index(_, name)
  if methods[name] then return methods[name] end
  local layer = find_layer(name)
  if not layer then
    fail(string.format("there is no layer %s; there are %s", describe(name), layer_names()))
  end
  return function(self, ...)
    state_of(self)
    layer(self, ...)
    return self
  end
end

function metatable.__newindex(_, name)
  fail(string.format("use layer(%s, function(builder) … end) to add a layer of your own", describe(name)))
end

-- wrap(target): a new builder. `target` is a whole number of tokens, 0 or more; nil takes the model's own.
function builder.wrap(target)
  if target == nil then target = snapshot.target end
  local whole = type(target) == "number" and math.tointeger(target)
  if not whole or whole < 0 then
    fail("the target must be a whole number of tokens, 0 or more, got " .. describe(target))
  end
  local self = setmetatable({}, metatable)
  states[self] = { target = whole, layers = {}, warnings = {}, named = {} }
  return self
end

-- layer(name, function(builder, …) … end): adds a method of this name to every builder of this composition.
function builder.layer(name, make)
  if type(name) ~= "string" or name == "" then fail("layer(): the name must be text, got " .. describe(name)) end
  if type(make) ~= "function" then fail("layer(): the second argument must be a function, got " .. describe(make)) end
  own_layers[name] = make
end

-- What add_layer takes for a conversation that Lua does not read: so the host knows that this run gives
-- the same in the next turn, whatever was said. Nil if a script could see the difference, since the builder
-- or the function is its own.
function builder.unread(self, options)
  if not states[self] or next(self) ~= nil or tools.conversation ~= conversation then return nil end
  local number = unread_conversation(options)
  if type(number) ~= "number" then return "" end
  local stand_in = {}
  unread[stand_in] = number
  return stand_in
end

-- Puts the persona behind all other system layers, also in a room whose script has layers of its own: personas of
-- one model then have the same bytes before it.
local function put_persona(state)
  local persona = snapshot.persona
  if not persona then return end
  local place = 0
  for index, layer in ipairs(state.layers) do
    if layer.system then place = index end
  end
  table.insert(state.layers, place + 1, {
    name = "persona", priority = 5, system = true, required = true, trim = "none", heading = "", late = false,
    text = string.format(persona_words, persona.name, persona.name, persona.text),
  })
end

-- What a builder holds: src/wrap/layers.ts reads it.
function builder.finish(self)
  local state = type(self) == "table" and states[self]
  if not state then fail("default_wrap must return what wrap() gave, it returned " .. describe(self)) end
  put_persona(state)
  return { target = state.target, layers = state.layers, warnings = state.warnings }
end

-- One composition: defines what scripts see as globals, runs default.lua and then the room's script in the
-- script's environment, and calls `default_wrap`, or the hook that is asked for. Returns what that gave as JSON.
function builder.compose(environment, default, script)
  environment.wrap, environment.layer, environment.tools = builder.wrap, builder.layer, tools
  default(environment)
  if script then script(environment) end
  if snapshot.hook then return encode(require("hooks").run(environment)) end
  if type(environment.default_wrap) ~= "function" then
    error("default_wrap must be a function, it is a " .. type(environment.default_wrap), 0)
  end
  return encode(builder.finish(environment.default_wrap(snapshot.target)), texts)
end

return builder
