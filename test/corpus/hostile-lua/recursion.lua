-- Scripts that go too deep: Lua or the clock stops them, whichever is first.

--> ended
local function f() return 1 + f() end f()
--> ended
local t = setmetatable({}, {}) getmetatable(t).__index = function(s, k) return s[k] .. "" end return t.x
--> ended
local t = setmetatable({}, {}) getmetatable(t).__index = t return t.x
--> ended
local t = setmetatable({}, {}) getmetatable(t).__newindex = t t.x = 1
--> ended
local t = {} t.t = t tools.available_tools(t)
--> ended
local t = {} local inner = t for i = 1, 100 do inner[1] = {} inner = inner[1] end tools.available_tools(t)
--> ended
local t = setmetatable({}, { __tostring = function(s) return tostring(s) end }) tostring(t)
--> ended
local t = setmetatable({}, { __concat = function(a, b) return a .. b end }) return t .. "x"
--> ended
local t = setmetatable({}, { __eq = function(a, b) return a == b end }) return t == setmetatable({}, getmetatable(t))
--> ended
local t = setmetatable({}, { __len = function(s) return #s end }) return #t
--> ended
local t = setmetatable({}, { __pairs = function(s) return pairs(s) end }) for _ in pairs(t) do end
--> ended
function default_wrap(t) return default_wrap(t):system() end
--> ended
function room_tool_scope() return { room_tool_scope() } end
--> ended
layer("deep", function(b) b:deep():system() end) function default_wrap(t) return wrap(t):deep() end
--> ended
local s = ("("):rep(300) .. "1" .. (")"):rep(300) assert(load("return " .. s))
--> ended
assert(load(("do "):rep(1e4)))
--> ended
assert(load("return " .. ("{"):rep(1e4)))
--> ended
assert(load("return " .. ("not "):rep(1e5) .. "x"))
--> ended
("x"):rep(100):gsub(".", function(c) return error("in a replacement") end)
--> ended
string.find("x", ("("):rep(100) .. "x")
--> ended
string.find("x", ("x?"):rep(1000) .. "[a")
--> ended
table.sort({ 3, 1, 2, 5, 4 }, function(a, b) return 1 + nil end)
