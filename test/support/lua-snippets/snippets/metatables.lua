--- __index with a table
local base = {greet = function() return "hi" end} local t = setmetatable({}, {__index = base}) return t.greet(), t.other
--- __index with a function
local t = setmetatable({}, {__index = function(self, k) return k .. "!" end}) return t.x, t[1], rawget(t, "x")
--- __index gives false
local t = setmetatable({}, {__index = function() return false end}) return t.x
--- __index in a chain
local a = setmetatable({x = 1}, nil) local b = setmetatable({}, {__index = a}) local c = setmetatable({}, {__index = b}) return c.x
--- __index of itself is an error
local t = {} setmetatable(t, {__index = t}) return t.x
--- __newindex with a function
local log = {} local t = setmetatable({}, {__newindex = function(t, k, v) rawset(t, k, v * 2) end}) t.a = 1 t.a = 5 return t.a
--- __newindex with a table
local store = {} local t = setmetatable({}, {__newindex = store}) t.x = 1 return rawget(t, "x"), store.x
--- arithmetic metamethods
local mt = {} for _, n in ipairs({"add", "sub", "mul", "div", "mod", "pow", "idiv", "band", "bor", "bxor", "shl", "shr", "concat"}) do mt["__" .. n] = function() return n end end
local t = setmetatable({}, mt) return t + 1, t - 1, 2 * t, t / 1, t % 1, t ^ 1, t // 1, t & 1, t | 1, t ~ 1, t << 1, t >> 1, t .. "x", "x" .. t, 1 .. t
--- unary metamethods
local t = setmetatable({}, {__unm = function() return "unm" end, __bnot = function() return "bnot" end, __len = function() return 42 end}) return -t, ~t, #t
--- comparison metamethods
local mt = {__lt = function(a, b) return a.n < b.n end, __le = function(a, b) return a.n <= b.n end, __eq = function(a, b) return a.n == b.n end}
local a, b = setmetatable({n = 1}, mt), setmetatable({n = 2}, mt) return a < b, a <= b, a > b, a >= b, a == b, a ~= b, a == setmetatable({n = 1}, mt)
--- __eq is not asked for different types
local t = setmetatable({}, {__eq = function() return true end}) return t == 1, t == "x", t == {}
--- comparison gives booleans
local t = setmetatable({}, {__lt = function() return 5 end}) return t < t
--- __call
local t = setmetatable({}, {__call = function(self, a, b) return a + b end}) return t(1, 2)
--- __call in a chain
local inner = setmetatable({}, {__call = function() return "inner" end}) local ok, v = pcall(setmetatable({}, {__call = inner})) return ok, v
--- __tostring
return tostring(setmetatable({}, {__tostring = function() return "custom" end}))
--- __tostring that gives no text fails
return tostring(setmetatable({}, {__tostring = function() return {} end}))
--- __name
return (tostring(setmetatable({}, {__name = "thing"})):match("^thing: "))
--- __concat from the right
return "a" .. setmetatable({}, {__concat = function(a, b) return a .. "b" end})
--- __metatable hides the metatable
local t = setmetatable({}, {__metatable = "locked"}) return getmetatable(t), pcall(setmetatable, t, {})
--- the metatable of texts is hidden
return getmetatable("x")
--- setmetatable refuses other types
setmetatable(1, {})
--- setmetatable refuses a wrong metatable
setmetatable({}, 5)
--- __gc is refused
setmetatable({}, {__gc = function() end})
--- classes with inheritance
local Animal = {} Animal.__index = Animal function Animal.new(n) return setmetatable({name = n}, Animal) end function Animal:speak() return self.name .. " speaks" end
local Dog = setmetatable({}, {__index = Animal}) Dog.__index = Dog function Dog.new(n) local d = Animal.new(n) return setmetatable(d, Dog) end function Dog:bark() return self:speak() .. ": woof" end
return Dog.new("Rex"):bark()
--- defaults by a metatable
local t = setmetatable({}, {__index = function(t, k) local v = {} rawset(t, k, v) return v end}) t.a.b = 1 return t.a.b
--- a read-only table
local t = setmetatable({}, {__newindex = function() error("read only", 0) end}) return pcall(function() t.x = 1 end)
--- metamethods that raise errors
local t = setmetatable({}, {__add = function() error("no adding", 0) end}) return pcall(function() return t + 1 end)
--- metamethods that give nothing
local t = setmetatable({}, {__add = function() end, __index = function() end}) return t + 1, t.x
--- __len that gives no number
local t = setmetatable({}, {__len = function() return "x" end}) return #t
--- weak tables can be made
local t = setmetatable({}, {__mode = "k"}) t[{}] = 1 return type(t)
--- __unm gets its operand twice
local t = setmetatable({}, {__unm = function(a, b) return rawequal(a, b) end}) return -t
