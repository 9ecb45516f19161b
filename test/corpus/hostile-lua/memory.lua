-- Scripts that take all the memory there is.

--> limit needs more than 64 MiB
local s = ("x"):rep(1e9)
--> limit
local t = {} while true do t[#t + 1] = {} end
--> limit
local t = {} for i = 1, 1e8 do t[i] = i end
--> limit
local s = "x" while true do s = s .. s end
--> limit
local t = {} while true do t[#t + 1] = ("y"):rep(1e6) .. #t end
--> limit
local s = ("x"):rep(1e7) local t = {} for i = 1, 100 do t[i] = s .. i end
--> limit
string.rep("x", 2e8, "y")
--> limit
local t = {} for i = 1, 1e3 do t[i] = ("x"):rep(1e6) end return table.concat(t)
--> limit
local t = {} while true do t = { t, ("z"):rep(1e4) } end
--> limit
local f = {} while true do f[#f + 1] = function() return f end end
--> limit
local t = {} while true do t[#t + 1] = load("return " .. #t) end
--> limit
while true do pcall(string.rep, "x", 1e9) error(string.rep("x", 1e9)) end
--> limit
local s = ("x"):rep(2e7) s = s:gsub("x", "xxxxxxxx")
--> limit
local s = ("x"):rep(4e7) s:upper():lower():reverse()
--> limit
table.pack(("x"):rep(5e6):byte(1, 5e5)) local s = ("x"):rep(7e7)
--> script
table.unpack({}, 1, 1e8)
--> script
string.rep("x", math.maxinteger)
--> script
string.rep("x", -1, 5, nil)()
--> script
("x"):rep(1e300)
--> limit
local s = string.format("%99.99f", 1e300):rep(1e6)
--> script resulting string too large
utf8.char(0x10FFFF):rep(1e9)
--> limit
local keys = {} for i = 1, 1e7 do keys["key" .. i] = i end
--> limit
tools.log("info", ("x"):rep(1e8))
--> limit
tools.count_tokens(("x"):rep(5e7))
--> limit
return tools.available_tools(("x"):rep(1e8))
--> limit
error(("x"):rep(1e8))
