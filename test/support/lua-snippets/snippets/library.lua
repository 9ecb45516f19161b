--- type
return type(nil), type(1), type("x"), type({}), type(print), type(true)
--- type without a value fails
return type()
--- floor and ceil give integers
return math.floor(3.7), math.ceil(3.2), math.floor(-3.5), math.ceil(-3.5), math.floor(5), math.floor(2^31 + 0.5)
--- floor of numbers beyond integers
return math.floor(1e300) == 1e300, math.floor(-math.huge) == -math.huge
--- min and max
return math.max(1, 5, 3), math.min(2, 0.5), math.max(1, 1.5), math.min(1), math.max(-1, -2)
--- max of nothing fails
return math.max()
--- abs
return math.abs(-5), math.abs(5.5), math.abs(-0.5), math.abs(0)
--- sqrt and powers
return math.sqrt(16), math.sqrt(2), math.exp(0), math.log(1), math.log(8, 2), math.log(100, 10)
--- trigonometry
return math.sin(0), math.cos(0), math.floor(math.atan(1, 1) * 4 * 1000), math.pi
--- fmod and modf
return math.fmod(7, 3), math.fmod(-7, 3), math.fmod(5.5, 2), math.modf(3.7), math.modf(-3.7)
--- modf of a whole number and of infinity
return math.modf(5), math.modf(math.huge)
--- tointeger
return math.tointeger(3.0), math.tointeger(3.5), math.tointeger("8"), math.tointeger("x"), math.tointeger({})
--- math.type
return math.type(1), math.type(1.0), math.type("1"), math.type(nil)
--- limits of integers
return math.maxinteger, math.mininteger, math.huge, -math.huge
--- ult
return math.ult(1, 2), math.ult(-1, 2), math.ult(2, -1)
--- random keeps its limits
for i = 1, 50 do local r = math.random(3, 5) if r < 3 or r > 5 or math.type(r) ~= "integer" then return "wrong" end local f = math.random() if f < 0 or f >= 1 then return "wrong" end end return "right"
--- random of an empty range fails
return math.random(2, 1)
--- deg and rad
return math.deg(math.pi), math.rad(180) == math.pi
--- utf8.char
return utf8.char(72, 228, 8364, 128512), utf8.char()
--- utf8.len
return utf8.len("häß"), utf8.len(""), utf8.len("日本", 4), utf8.len("\xff"), utf8.len("a\x80")
--- utf8.codepoint
return utf8.codepoint("hé", 1, -1), utf8.codepoint("€")
--- utf8.codepoint of bad text fails
return utf8.codepoint("\xff")
--- utf8.offset
return utf8.offset("aé€", 3), utf8.offset("aé€", -1), utf8.offset("abc", 5), utf8.offset("aé", 0, 3)
--- utf8.codes
local r = {} for p, c in utf8.codes("aé€") do r[#r + 1] = p .. ":" .. c end return table.concat(r, " ")
--- utf8.charpattern
local n = 0 for _ in ("aé€"):gmatch(utf8.charpattern) do n = n + 1 end return n
--- utf8 refuses surrogates
return utf8.len("\u{D7FF}"), utf8.len("\xed\xa0\x80")
--- load
return load("return 1 + 1")(), load("x x x") == nil
--- load gives an error with the chunk's name and line
local f, e = load("return 1 +", "=mine") return f, (e:match("^mine:1:"))
--- load with an environment
return load("return x", "=c", "t", {x = 5})(), load("x = 1", "=c", "t", {})()
--- load with varargs
return load("return select('#', ...), ...")(1, 2)
--- load refuses bytecode
return load("\27Lua")
--- load refuses what is no text
return load({})
--- a loaded chunk sees no locals
local secret = 5 return load("return secret")()
--- an error in a loaded chunk has its name
return pcall(load("error('x')", "=chunk"))
--- what scripts cannot reach
return io, os, debug, coroutine, package, dofile, loadfile, collectgarbage, string.dump, math.randomseed
--- require knows the bundle only
return pcall(require, "fs")
--- _G holds the globals
return _G.print == print, _G._G == _G, type(_G.string)
--- _VERSION
return _VERSION
--- print gives nothing
return print("x", nil), (select("#", print()))
--- changing a library does not change texts' methods
string.upper = nil return ("x"):upper()
--- getmetatable of values without one
return getmetatable(1), getmetatable({}), getmetatable(nil)
--- the functions that there are
local names = {} for k, v in pairs(_G) do if type(v) == "function" then names[#names + 1] = k end end table.sort(names) return table.concat(names, " ")
--- what is in the libraries
local names = {} for _, l in ipairs({"math", "string", "table", "utf8"}) do for k in pairs(_G[l]) do names[#names + 1] = l .. "." .. k end end table.sort(names) return table.concat(names, " ")
--- the text of a syntax error
return load("x = = 1", "=mine")
--- a constant cannot be assigned to
return (load("local x <const> = 1 x = 2")) == nil
--- the sign of not a number
return tostring(0/0), tostring(-(0/0))
--- format of a hexadecimal float with a precision
return ("%.2a"):format(1)
--- a malformed part of a pattern that is never reached
return ("abc"):find("x(")
