--- error adds the place
error("broken")
--- error without a place
error("broken", 0)
--- error at level 2
local function check() error("bad call", 2) end
check()
--- error on a later line
local x = 1

error("line three")
--- error with a table
local ok, e = pcall(error, {code = 5}) return ok, e.code
--- error with nil
return pcall(error)
--- error with a number keeps the number
return pcall(error, 5)
--- pcall gives all results
return pcall(function() return 1, nil, 3 end)
--- pcall passes arguments
return pcall(function(...) return select("#", ...), ... end, 1, nil)
--- pcall of something that cannot be called
return pcall(5)
--- pcall without anything fails
return pcall()
--- pcall inside of pcall
return pcall(pcall, error, "x")
--- an error within pcall keeps its place
return pcall(function() error("inner") end)
--- a runtime error within pcall
return pcall(function() local t = nil return t.x end)
--- an error thrown again keeps its text
local ok, e = pcall(error, "first", 0) local ok2, e2 = pcall(error, e, 0) return e2
--- xpcall hands the error to its handler
return xpcall(function() error("oops", 0) end, function(e) return "handled " .. e end)
--- xpcall passes arguments
return xpcall(function(a, b) return a + b end, print, 1, 2)
--- assert gives its arguments
return assert(1, "unused", 3)
--- assert fails with its message
assert(false, "message")
--- assert fails without a message
assert(nil)
--- assert with a table
local ok, e = pcall(assert, false, {1}) return type(e)
--- assert without anything fails
assert()
--- errors leave no trace in loops
local n = 0 for i = 1, 5 do pcall(function() if i % 2 == 0 then error("x") end n = n + 1 end) end return n
--- the state after a caught error
local x = 1 pcall(function() x = 2 error("x") x = 3 end) return x
--- an error in a deep call
local function a() error("deep") end local function b() a() end return pcall(b)
--- an error in an iterator
return pcall(function() for x in function() error("it", 0) end do end end)
--- an error in a comparison function
return pcall(table.sort, {3, 2, 1}, function() error("cmp", 0) end)
--- an error in a replacement function
return pcall(string.gsub, "abc", "b", function() error("rep", 0) end)
--- a call over several lines has the line of its arguments
local t = {}
t
  .missing
  .deeper()
--- a chain over several lines
local o = {} function o:a() return self end
o
  :a()
  :nothing()
--- a table over several lines
local t = {
  a = 1,
  b = nil + 1,
}
--- arguments over several lines
print(
  1,
  nil .. "x"
)
--- a call of nil over several lines
local a = 1
undefined(
  a
)
--- an operator over several lines
local a = 1
local b = a +
  {}
--- an error in a condition
local x
if x > 1 then return 1 end
--- an error in a loop's condition
local x
while x < 1 do x = 1 end
--- an error in an elseif
local x
if false then
elseif x.y then
end
--- a function that ends with a failing call
local function f() return error("tail") end f()
--- bad argument of a global
return ipairs()
--- bad argument of a library function
return math.floor("x")
--- bad argument of a library function given nil
return math.floor(nil)
--- bad argument of a local function
local floor = math.floor return floor({})
--- bad argument through pcall
return pcall(string.rep)
--- bad argument of setmetatable
return pcall(setmetatable, 1)
--- tostring of an error value
local ok, e = pcall(function() error(setmetatable({}, {__tostring = function() return "E" end})) end) return tostring(e)
--- a goto after an error
local ok = pcall(function() for i = 1, 2 do if i == 1 then goto next end error("second", 0) ::next:: end end) return ok
--- text that is nearly a number
return pcall(function() return "12x" * 2 end)
