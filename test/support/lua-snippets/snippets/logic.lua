--- and gives its first false side or the last
return 1 and 2, nil and 1, false and 1, 0 and "zero", "" and "empty"
--- or gives its first true side or the last
return 1 or 2, nil or 1, false or nil, nil or false, 0 or 1
--- and evaluates its right side only when needed
local calls = 0 local function f() calls = calls + 1 return true end
local a = false and f() local b = true and f() return calls, a, b
--- or evaluates its right side only when needed
local calls = 0 local function f() calls = calls + 1 return true end
local a = true or f() local b = nil or f() return calls, a, b
--- an index of nil behind and is not reached
local t = nil return t and t.x, t and t.x.y or "none"
--- and with or as a choice
local function pick(c) return c and "yes" or "no" end return pick(true), pick(false), pick(nil), pick(0)
--- only nil and false are false
local r = {} for i, v in ipairs({0, "", {}, true}) do if v then r[#r + 1] = i end end return #r
--- while takes 0 and empty text for true
local n = 0 while 0 do n = n + 1 if n == 3 then break end end return n
--- while with empty text
local n = 0 while "" do n = n + 1 if n > 1 then break end end return n
--- not
return not nil, not false, not 0, not "", not not 1
--- a call behind and gives one value
local function two() return 1, 2 end return (true and two())
--- varargs behind or
local function f(...) return ... or "none" end return f(), f(1, 2), f(nil, 2)
--- varargs behind and
local function f(...) return true and select("#", ...) end return f(1, nil, nil)
--- varargs deep behind and and or
local function f(...) return (... and (select(2, ...) or "b")) or "c" end return f(), f(1), f(1, 2)
--- if with elseif
local function f(x) if x > 0 then return "+" elseif x < 0 then return "-" else return "0" end end return f(1), f(-1), f(0)
--- if without else
local x = 1 if x == 2 then x = 3 end return x
--- nested conditions
local function f(a, b) if a then if b then return 1 end else return 2 end return 3 end return f(true, true), f(true), f(false)
--- a function in a condition
if (function() return nil end)() then return 1 else return 2 end
--- a long chain of or
local a, b, c return a or b or c or "d"
--- mixed and, or and comparison
return 1 < 2 and 2 < 3 or false, 1 > 2 or 3 > 2 and "x"
