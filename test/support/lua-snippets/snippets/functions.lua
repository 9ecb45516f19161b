--- several results
local function f() return 1, 2, 3 end local a, b, c, d = f() return a, b, c, d
--- results in the middle are cut to one
local function f() return 1, 2 end return f(), f()
--- parentheses cut to one value
local function f() return 1, 2 end return (f()), {f(), f()}, {(f())}
--- missing arguments are nil and further ones are dropped
local function f(a, b) return a, b end return f(1), f(1, 2, 3)
--- varargs
local function f(...) return select("#", ...), ... end return f(), f(nil), f(1, nil, 3)
--- varargs in a table
local function f(...) local t = {...} return #t, t[1] end return f(4, 5)
--- varargs with table.pack
local function f(...) local t = table.pack(...) return t.n, t[2] end return f(1, nil, nil)
--- varargs behind parameters
local function f(a, ...) return a, (...) end return f(1, 2, 3)
--- varargs in the middle
local function f(...) return ..., "end" end return f(1, 2)
--- select counts from the end
return select(-1, 1, 2, 3), select(2, "a", "b", "c")
--- select of nothing
return select("#"), select("#", nil), select(5, 1)
--- select of 0 fails
return select(0, 1)
--- unpack
return table.unpack({1, 2, 3}), table.unpack({1, 2, 3}, 2), table.unpack({1, 2}, 1, 3)
--- recursion
local function fact(n) if n <= 1 then return 1 end return n * fact(n - 1) end return fact(20)
--- recursion between functions
local even, odd function even(n) if n == 0 then return true end return odd(n - 1) end function odd(n) if n == 0 then return false end return even(n - 1) end return even(100)
--- a local function sees itself and a local variable does not
local f = function() return f end return f()
--- tail calls
local function loop(n) if n == 0 then return "done" end return loop(n - 1) end return loop(500)
--- deep recursion
local function depth(n) if n == 0 then return 0 end return 1 + depth(n - 1) end return depth(1000)
--- recursion without an end is an error that can be caught
local function f() return 1 + f() end local ok, e = pcall(f) return ok, (string.find(e, "stack overflow")) ~= nil
--- upvalues are shared
local n = 0 local function up() n = n + 1 end local function get() return n end up() up() return get()
--- counters are apart
local function counter() local n = 0 return function() n = n + 1 return n end end local a, b = counter(), counter() a() a() return a(), b()
--- methods
local o = {n = 1} function o:add(k) self.n = self.n + k return self end return o:add(2):add(3).n
--- a chain evaluates its base once
local n = 0 local o = {} function o:m() n = n + 1 return self end o:m():m():m():m() return n
--- a method call evaluates its object once
local n = 0 local function get() n = n + 1 return {m = function() return 1 end} end get():m() return n
--- methods of texts
return ("abc"):upper(), ("%d"):format(5), ("x"):rep(3), #("abc"):sub(2)
--- calls without parentheses
local function f(x) return type(x) end return f"text", f{}, f[[long]]
--- functions in fields
local t = {a = {b = {}}} function t.a.b.f(x) return x end function t.a.b:g() return self == t.a.b end return t.a.b.f(1), t.a.b:g()
--- a function called at once
return (function(x) return x * 2 end)(4)
--- assigning several values
local a, b, c = 1, 2 a, b = b, a return a, b, c
--- assigning from a call
local function f() return 1, 2 end local t = {} t.a, t.b, t.c = f() return t.a, t.b, t.c
--- assignment evaluates before it stores
local i, t = 1, {} i, t[i] = i + 1, 20 return i, t[1], t[2]
--- swapping entries of a table
local t = {1, 2, 3} t[1], t[3] = t[3], t[1] return t[1], t[2], t[3]
--- assignment with metamethods does not mix values
local log = {} local p = setmetatable({}, {__newindex = function(t, k, v) local a, b = 8, 9 rawset(t, k, v) log[#log + 1] = k end}) p.x, p.y, p.z = 1, 2, 3 return p.x, p.y, p.z, #log
--- more values than variables
local n = 0 local function f() n = n + 1 return n end local a = f(), f(), f() return a, n
--- a local variable takes the old one
local x = 1 local x = x + 1 local x = x * 10 return x
--- parameters with the same name as a global
local function f(print) return print end return f(5), type(print)
--- globals are made by assigning
made_up = 5 local x = made_up made_up = nil return x, made_up
--- global functions
function made_global(a) return a + 1 end return made_global(1)
--- _ENV can be replaced
local _ENV = {x = 5} return x
--- _ENV as a parameter
local function f(_ENV) return a + b end return f({a = 1, b = 2})
--- _ENV holds the globals
zzz = 7 return _ENV.zzz, _ENV["zzz"]
--- calling nil names the local variable
local f f()
--- calling nil names the global
undefined_function()
--- calling nil names the field
local t = {} t.go()
--- calling nil names the method
local t = {} t:go()
--- calling a number
local n = 5 n()
--- calling text
("x")()
--- calling a result
local function f() return nil end f()()
--- indexing nil names the local variable
local t return t.x
--- indexing nil names the upvalue
local t local function f() return t.x end return f()
--- indexing nil names the field
local t = {} return t.a.b
--- indexing nil names the global
return undefined_table.x
--- indexing a number
local n = 5 return n.x
--- indexing a boolean
return (true).x
--- indexing with a nil key reads nil
local t = {} local k return t[k]
--- storing under a nil key fails
local t, k = {} t[k] = 1
--- storing under not a number fails
local t = {} t[0/0] = 1
--- storing in nil names the field
local t = {} t.x.y = 1
--- functions are equal only to themselves
local f = function() end return f == f, f == function() end
--- recursion fifty thousand deep
local function depth(n) if n == 0 then return 0 end return 1 + depth(n - 1) end return (pcall(depth, 50000))
--- tail calls fifty thousand deep
local function loop(n) if n == 0 then return "done" end return loop(n - 1) end return (pcall(loop, 50000))
--- a closure keeps a variable whose name is declared again
local x = 1 local f = function() return x end local x = 2 return f(), x
