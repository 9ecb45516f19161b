-- Scripts that never end. `limit` is stopped by the engine, `killed` only from outside.

--> limit runs longer than
while true do end
--> limit runs longer than
repeat until false
--> limit runs longer than
for i = 1, math.huge do end
--> limit runs longer than
::again:: goto again
--> limit runs longer than
local function f() return f() end f()
--> limit runs longer than
while true do pcall(function() while true do end end) end
--> limit runs longer than
while true do xpcall(function() while true do end end, function() return 1 end) end
--> limit runs longer than
local function spin() pcall(spin) end while true do spin() end
--> limit runs longer than
local t = setmetatable({}, { __index = function(t, k) return t[k + 1] end })
while true do pcall(function() return t[1] end) end
--> limit runs longer than
local a, b = {}, {}
setmetatable(a, { __lt = function(x, y) return y < x end })
setmetatable(b, getmetatable(a))
while true do pcall(function() return a < b end) end
--> limit runs longer than
for _ in function() return 1 end do end
--> limit runs longer than
while true do load("local x = 1")() end
--> limit runs longer than
while true do load("return function() while true do end end")()() end
--> limit runs longer than
while true do tools.now() end
--> limit runs longer than
while true do tools.look() end
--> limit runs longer than
while true do tools.log("info", "again") end
--> limit runs longer than
while true do tools.count_tokens("a") end
--> limit runs longer than
while true do tools.history(1) end
--> limit runs longer than
while true do tools.available_tools("all") end
--> limit runs longer than
while true do wrap() end
--> limit runs longer than
while true do pcall(require, "fs") end
--> limit runs longer than
while true do pcall(error, {}) end
--> limit runs longer than
while true do string.format("%s", {}) end
--> limit runs longer than
layer("forever", function() while true do end end)
function default_wrap(t) return wrap(t):forever() end
--> limit runs longer than
function default_wrap(t) while true do wrap(t):system():tools("all") end end
--> limit runs longer than
function room_tool_scope() while true do end end
--> limit runs longer than
print = function() end
while true do print(string.rep("x", 1000)) end
--> limit runs longer than
for i = 1, 1e9 do ("x"):byte() end
--> limit runs longer than
local t = {} for i = 1, 1e5 do t[i] = i % 7 end
while true do table.sort(t, function(a, b) return a < b end) end
--> killed takes longer than
("a"):rep(2e5):find(".-.-.-b")
--> killed takes longer than
("a"):rep(3e5):match("(.-)(.-)(.-)b")
--> killed takes longer than
(("a"):rep(3e5)):gsub("a-a-a-b", "")
--> killed takes longer than
pcall(string.find, ("a"):rep(3e5), ".-.-.-b")
