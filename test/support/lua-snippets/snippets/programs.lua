--- Fibonacci numbers
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end return fib(15)
--- primes
local p, r = {}, {} for i = 2, 50 do if not p[i] then r[#r + 1] = i for j = i * i, 50, i do p[j] = true end end end return table.concat(r, " ")
--- a queue
local q = {first = 1, last = 0} local function push(v) q.last = q.last + 1 q[q.last] = v end local function pop() local v = q[q.first] q[q.first] = nil q.first = q.first + 1 return v end push(1) push(2) push(3) pop() return pop(), q.last - q.first + 1
--- counting words
local counts = {} for w in ("the cat the dog the end"):gmatch("%a+") do counts[w] = (counts[w] or 0) + 1 end local r = {} for w, n in pairs(counts) do r[#r + 1] = w .. "=" .. n end table.sort(r) return table.concat(r, ",")
--- a word wrap
local line, out = "", {} for w in ("a bb ccc dddd ee f"):gmatch("%S+") do if #line + #w + 1 > 8 then out[#out + 1] = line line = w else line = line == "" and w or line .. " " .. w end end out[#out + 1] = line return table.concat(out, "|")
--- map, filter and reduce
local function map(t, f) local r = {} for i, v in ipairs(t) do r[i] = f(v) end return r end
local function filter(t, f) local r = {} for _, v in ipairs(t) do if f(v) then r[#r + 1] = v end end return r end
local function reduce(t, f, a) for _, v in ipairs(t) do a = f(a, v) end return a end
return reduce(map(filter({1, 2, 3, 4}, function(x) return x % 2 == 0 end), function(x) return x * x end), function(a, b) return a + b end, 0)
--- currying
local function curry(f) return function(a) return function(b) return f(a, b) end end end return curry(function(a, b) return a - b end)(5)(3)
--- memoizing
local calls = 0 local function memo(f) local c = {} return function(x) local v = c[x] if v == nil then v = f(x) c[x] = v end return v end end local sq = memo(function(x) calls = calls + 1 return x * x end) sq(4) sq(4) return sq(4), calls
--- a deep copy
local function copy(v) if type(v) ~= "table" then return v end local r = {} for k, x in pairs(v) do r[copy(k)] = copy(x) end return r end local a = {x = {y = {1, 2}}} local b = copy(a) b.x.y[1] = 9 return a.x.y[1], b.x.y[1], b.x.y[2]
--- text to hexadecimal and back
local function hex(s) return (s:gsub(".", function(c) return ("%02x"):format(c:byte()) end)) end local function back(h) return (h:gsub("%x%x", function(d) return string.char(tonumber(d, 16)) end)) end return hex("aé\0"), back(hex("aé\0")) == "aé\0"
--- reversing words
local r = {} for w in ("one two three"):gmatch("%a+") do table.insert(r, 1, w) end return table.concat(r, " ")
--- a bubble sort
local t = {5, 2, 8, 1} for i = 1, #t do for j = 1, #t - i do if t[j] > t[j + 1] then t[j], t[j + 1] = t[j + 1], t[j] end end end return table.concat(t, " ")
--- the greatest common divisor
local function gcd(a, b) while b ~= 0 do a, b = b, a % b end return a end return gcd(48, 36), gcd(17, 5)
--- numbers in binary
local function bin(n) local r = "" repeat r = n % 2 .. r n = n // 2 until n == 0 return r end return bin(10), bin(255)
--- a checksum with 64 bits
local h = 14695981039346656037 | 0 for c in ("hello"):gmatch(".") do h = (h ~ c:byte()) * 1099511628211 end return h
--- a checksum that wraps around
local h = 5381 for i = 1, 40 do h = h * 33 + i end return h
--- a simple parser
local function parse(s) local i = 1 local function num() local a, b = s:find("^%d+", i) local v = tonumber(s:sub(a, b)) i = b + 1 return v end local v = num() while i <= #s do local op = s:sub(i, i) i = i + 1 local n = num() if op == "+" then v = v + n else v = v - n end end return v end return parse("10+20-5")
--- templates
return (("Hello {name}, {what}!"):gsub("{(%w+)}", {name = "Bob", what = "welcome"}))
--- an event list
local handlers, log = {}, {} local function on(n, f) handlers[n] = handlers[n] or {} table.insert(handlers[n], f) end local function fire(n, ...) for _, f in ipairs(handlers[n] or {}) do f(...) end end on("x", function(v) log[#log + 1] = v end) on("x", function(v) log[#log + 1] = v * 2 end) fire("x", 5) fire("y") return log[1], log[2]
--- a set
local function set(l) local s = {} for _, v in ipairs(l) do s[v] = true end return s end local a = set{1, 2, 3} return a[2], a[4]
--- linked lists
local list for i = 3, 1, -1 do list = {value = i, next = list} end local s, n = 0, list while n do s = s * 10 + n.value n = n.next end return s
--- towers of Hanoi
local n = 0 local function hanoi(d, a, b, c) if d > 0 then hanoi(d - 1, a, c, b) n = n + 1 hanoi(d - 1, c, b, a) end end hanoi(6, 1, 2, 3) return n
--- a table as text
local function show(t) local r = {} for k, v in pairs(t) do r[#r + 1] = tostring(k) .. "=" .. (type(v) == "table" and show(v) or tostring(v)) end table.sort(r) return "{" .. table.concat(r, ",") .. "}" end return show({a = 1, b = {c = true}, 5})
--- escaping through constructors fails
return pcall(function() local f = ("").constructor return f("return process")() end)
--- escaping through functions fails
return pcall(function() return print.constructor end)
--- escaping through load fails
return pcall(function() return load("return ${process}")() end)
--- escaping through prototypes fails
local t = {} t["__proto__"] = {polluted = true} return ({}).polluted, t.polluted
--- escaping through the metatable of texts fails
return pcall(function() getmetatable("").__index = nil end)
