--- counting up and down
local r = {} for i = 1, 3 do r[#r + 1] = i end for i = 3, 1, -1 do r[#r + 1] = i end return table.concat(r, " ")
--- counting with floats
local r = {} for i = 0, 1, 0.25 do r[#r + 1] = i end return table.concat(r, " ")
--- counting from a float
local r = {} for i = 1.0, 3 do r[#r + 1] = tostring(i) end return table.concat(r, " ")
--- a loop that does not run
local n = 0 for i = 2, 1 do n = n + 1 end for i = 1, 2, -1 do n = n + 1 end return n
--- a step of zero fails
for i = 1, 2, 0 do end
--- a start that is no number fails
for i = "a", 2 do end
--- a limit that is no number fails
for i = 1, {} do end
--- loop variables named as JavaScript names its own
local r = 0 for step = 1, 3 do r = r + step end for new = 1, 2 do r = r + new end for res, table in ipairs({5}) do r = r + table end for next, iterator in ipairs({7}) do r = r + iterator end return r
--- a loop variable named end_ and one named i twice
local r = "" for i = 1, 2 do for i = 1, 2 do r = r .. i end r = r .. ";" end return r
--- changing the loop variable changes nothing
local r = "" for i = 1, 3 do r = r .. i i = 10 end return r
--- the bounds are evaluated once
local n = 0 local function limit() n = n + 1 return 3 end for i = 1, limit() do end return n
--- closures have a variable each
local f = {} for i = 1, 3 do f[i] = function() return i end end return f[1](), f[2](), f[3]()
--- closures in while loops
local f, i = {}, 0 while i < 3 do i = i + 1 local j = i f[i] = function() j = j + 1 return j end end return f[1](), f[1](), f[2]()
--- repeat sees the locals of its body
local i = 0 repeat local done = i >= 3 i = i + 1 until done return i
--- repeat runs at least once
local n = 0 repeat n = n + 1 until true return n
--- repeat with a closure
local f repeat local x = 5 f = function() return x end until f() == 5 return f()
--- break leaves the inner loop
local r = "" for i = 1, 3 do for j = 1, 3 do if j == 2 then break end r = r .. i .. j .. " " end end return r
--- break in repeat
local n = 0 repeat n = n + 1 if n == 2 then break end until false return n
--- return from inside loops
local function f() for i = 1, 10 do while true do if i == 4 then return i end break end end end return f()
--- ipairs stops at nil only
local n = 0 for i, v in ipairs({0, "", false, 1, nil, 2}) do n = i end return n
--- ipairs goes through __index
local t = setmetatable({}, {__index = function(_, i) if i <= 3 then return i * 10 end end}) local r = {} for i, v in ipairs(t) do r[i] = v end return table.concat(r, ",")
--- pairs sees every entry once
local n, sum = 0, 0 for k, v in pairs({1, 2, x = 3, [10] = 4, [true] = 5}) do n = n + 1 sum = sum + v end return n, sum
--- pairs takes keys away while walking
local t = {a = 1, b = 2, c = 3} for k in pairs(t) do t[k] = nil end return next(t)
--- pairs goes by __pairs
local t = setmetatable({}, {__pairs = function() return function(_, k) if not k then return 1, "x" end end, nil, nil end}) for k, v in pairs(t) do return k, v end
--- next walks a list in order
local t = {10, 20} local k, v = next(t) local k2, v2 = next(t, k) return k, v, k2, v2, next(t, k2)
--- next after a key that is not there fails
return pcall(next, {}, "x") 
--- an iterator of one's own
local function upto(n) local i = 0 return function() i = i + 1 if i <= n then return i end end end local s = 0 for i in upto(4) do s = s + i end return s
--- an iterator with state and control
local function step(state, control) if control < state then return control + 1 end end local s = 0 for i in step, 3, 0 do s = s + i end return s
--- an iterator that is nil fails
for x in nil do end
--- pairs of nil fails
for k in pairs(nil) do end
--- ipairs of nothing fails
for k in ipairs() do end
--- an iterator that is a callable table
local t = setmetatable({}, {__call = function(_, _, c) c = (c or 0) + 1 if c < 4 then return c end end}) local s = 0 for i in t do s = s + i end return s
--- goto as continue
local r = "" for i = 1, 5 do if i % 2 == 0 then goto continue end r = r .. i ::continue:: end return r
--- goto as continue beside break
local r = "" for i = 1, 9 do if i == 2 then goto continue end if i == 5 then break end r = r .. i ::continue:: end return r
--- goto backward
local i = 1 ::top:: i = i * 2 if i < 100 then goto top end return i
--- goto out of nested loops
for i = 1, 3 do for j = 1, 3 do if i * j == 4 then goto out end end end ::out:: return "out"
--- goto backward with a break of an outer loop
local n = 0 while true do ::again:: n = n + 1 if n < 3 then goto again end break end return n
--- goto in repeat
local i, r = 0, "" repeat i = i + 1 if i == 2 then goto skip end r = r .. i ::skip:: until i >= 4 return r
--- goto over two labels
do goto second end ::first:: do return 1 end ::second:: return 2
--- a goto without its label is a syntax error
goto nowhere
--- a break outside of loops is a syntax error
break
--- a label twice is a syntax error
::a:: ::a::
--- do blocks hide their locals
local x = 1 do local x = 2 end return x
--- a closure in a do block
local f do local x = 5 f = function() x = x + 1 return x end end return f(), f()
--- many loops after each other
local n = 0 for i = 1, 2 do n = n + i end for i = 1, 2 do n = n + i end while n < 10 do n = n + 1 end repeat n = n - 1 until n == 5 return n
--- loops over large ranges
local n = 0 for i = 1, 20000 do n = n + i % 7 end return n
--- a loop variable named as the global that is walked
list = {7} for _, list in ipairs(list) do return list end
--- a loop variable named as the local that is walked
local list = {7} for _, list in ipairs(list) do return list end
