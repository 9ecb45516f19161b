-- Scripts that use the builder as it must not be used.

--> script
wrap = nil
--> script
wrap = 5
--> script
wrap = function() return {} end
--> limit runs longer than
wrap = function() return wrap() end
--> argument it returned a table
function wrap(t) return setmetatable({}, { __index = function() return function(s) return s end end }) end
--> argument script:1: wrap: default_wrap must return what wrap() gave, it returned 7
function default_wrap() return 7 end
--> argument it returned nil
function default_wrap() end
--> argument it returned "text"
function default_wrap() return "text" end
--> argument it returned a table
function default_wrap() return { layers = {}, target = 1, warnings = {} } end
--> argument it returned a function
function default_wrap() return wrap end
--> argument it returned a boolean
function default_wrap() return true end
--> script default_wrap must be a function, it is a nil
default_wrap = nil
--> script default_wrap must be a function, it is a table
default_wrap = setmetatable({}, { __call = function() return wrap() end })
--> argument script:1: wrap: layer "a": text must be a string, got a table
function default_wrap() return wrap():custom("a", {}) end
--> argument text must be a string, got a boolean
function default_wrap() return wrap():custom("a", true) end
--> argument text must be a string, got a function
function default_wrap() return wrap():custom("a", print) end
--> argument priority must be a number, got NaN
function default_wrap() return wrap():custom("a", "x", 0 / 0) end
--> argument priority must be a number, got inf
function default_wrap() return wrap():custom("a", "x", math.huge) end
--> argument priority must be a number, got -inf
function default_wrap() return wrap():custom("a", "x", -math.huge) end
--> argument priority must be a number, got "1"
function default_wrap() return wrap():custom("a", "x", "1") end
--> argument priority must be a number, got a table
function default_wrap() return wrap():custom("a", "x", {}) end
--> argument priority must be a number, got nil
function default_wrap() return wrap():add_layer("a", nil, "x") end
--> argument is_system must be true or false, got "yes"
function default_wrap() return wrap():custom("a", "x", 1, "yes") end
--> argument opts must be a table, got 5
function default_wrap() return wrap():custom("a", "x", 1, true, 5) end
--> argument there is no option "requird"
function default_wrap() return wrap():custom("a", "x", 1, true, { requird = true }) end
--> argument required must be a boolean, got "yes"
function default_wrap() return wrap():custom("a", "x", 1, true, { required = "yes" }) end
--> argument trim must be "none", "head", "tail" or "oldest", got "middle"
function default_wrap() return wrap():custom("a", "x", 1, true, { trim = "middle" }) end
--> argument a name must be text
function default_wrap() return wrap():custom(nil, "x") end
--> argument a name must be text
function default_wrap() return wrap():custom("", "x") end
--> argument a name must be text
function default_wrap() return wrap():custom(("n"):rep(65), "x") end
--> argument a name must be text
function default_wrap() return wrap():custom({}, "x") end
--> argument script:4: wrap: there are more than 200 layers
function default_wrap()
  local w = wrap()
  for i = 1, 1000 do
    w:custom("layer" .. i, "text " .. i)
  end
  return w
end
--> argument there is no layer "nope"
function default_wrap() return wrap():nope() end
--> argument use layer("mine"
function default_wrap() local w = wrap() w.mine = print return w end
--> argument call layers with a colon
function default_wrap() return wrap().system() end
--> argument call layers with a colon
function default_wrap() return wrap().custom("a", "x") end
--> argument call layers with a colon
function default_wrap() return wrap().custom({}, "a", "x") end
--> argument layer(): the name must be text
layer(nil, print)
--> argument layer(): the second argument must be a function
layer("mine", "text")
--> argument the target must be a whole number of tokens, 0 or more, got -5
function default_wrap() return wrap(-5) end
--> argument got NaN
function default_wrap() return wrap(0 / 0) end
--> argument got "8k"
function default_wrap() return wrap("8k") end
--> argument got 12.5
function default_wrap() return wrap(12.5) end
--> argument got inf
function default_wrap() return wrap(math.huge) end
--> argument got 1e+300
function default_wrap() return wrap(1e300) end
--> budget layer "system" needs
function default_wrap() return wrap(0):system() end
--> budget layer "must" needs
function default_wrap() return wrap(1000):custom("must", ("word "):rep(2000), 0, true, { required = true }) end
--> script only one layer can carry tools
function default_wrap()
  local _, chosen = tools.select_tools("all", {})
  local o = { tools = chosen }
  return wrap():custom("a", "x", 1, true, o):custom("b", "x", 1, true, o)
end
--> argument tools must be what tools.select_tools chose, got a table
function default_wrap() return wrap():custom("a", "x", 1, true, { tools = { full = { "secret" } } }) end
--> script what tools.select_tools chose
function default_wrap() return wrap():custom("a", "x", 1, true, { tools = 5 }) end
--> script what tools.select_tools chose
function default_wrap() return wrap():custom("a", "x", 1, true, { tools = -0.5 }) end
--> script script:2: tools.selected_tools: takes what tools.select_tools chose, got nil
function default_wrap()
  local all = tools.selected_tools(nil)
end
--> argument what tools.select_tools chose
function default_wrap() return tools.selected_tools(1) end
--> argument what tools.select_tools chose
function default_wrap() return tools.selected_tools(0 / 0) end
--> harmless
function default_wrap()
  local _, chosen = tools.select_tools("all", 5)
  tools.selected_tools(chosen)[1] = nil
  return wrap()
end
--> script script:2:
function default_wrap(t)
  return wrap(t):system() .. "x"
end
--> script script:2: attempt to index a number value
function default_wrap(t)
  return t.nothing.more
end
--> script script:3:
layer("mine", function(builder)
  -- the mistake is here
  error("on purpose")
end)
function default_wrap(t) return wrap(t):mine() end
--> harmless
function default_wrap() return wrap():custom("a", "one"):custom("a", "two"):custom("a", "three") end
--> harmless
function default_wrap() return wrap():custom("a", nil):custom("b", ""):custom("c", 5) end
--> harmless
function default_wrap() return wrap():custom("a", "x", -1e308):custom("b", "x", 1e308) end
--> harmless
local bundled = default_wrap default_wrap = function(t) return bundled(t):custom("last", "x") end
--> harmless
local inner = wrap function wrap(t) return inner(math.min(t or 4000, 4000)) end
--> harmless
function default_wrap() return wrap():tools({ "!*" }):system() end
--> harmless
layer("system", function(builder) builder:add_layer("system", 0, "other instructions", true) end)
