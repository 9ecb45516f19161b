--- constructors
local t = {1, 2, x = 3, ["y z"] = 4, [10] = 5, 6} return #t, t[3], t.x, t["y z"], t[10]
--- constructors nest
return {{1}, {2, {3}}}[1] == nil
--- a constructor ends with a comma or semicolon
local t = {1, 2; 3,} return #t
--- a constructor takes all results of its last call
local function f() return 1, 2, 3 end return #{f()}, #{f(), f()}, #{f(), nil}, #{(f())}
--- a constructor with varargs
local function f(...) return #{...}, #{..., 1} end return f(1, 2, 3)
--- fields of a constructor are evaluated in order
local r = {} local function f(x) r[#r + 1] = x return x end local t = {f(1), a = f(2), [f(3)] = f(4), f(5)} return table.concat(r, " ")
--- keys of any type
local k = {} local t = {[true] = 1, [k] = 2, [1.5] = 3, [print] = 4} return t[true], t[k], t[1.5], t[print], t[{}], t[false]
--- keys 1 and "1" are two keys
local t = {} t[1] = "a" t["1"] = "b" return t[1], t["1"]
--- a whole float is the same key as the integer
local t = {} t[1.0] = "a" t[2^53] = "b" return t[1], t[2^53 | 0], next(t)
--- keys true and "true" are two keys
local t = {[true] = 1, ["true"] = 2} return t[true], t["true"]
--- tables as keys are apart
local a, b = {}, {} local t = {[a] = 1, [b] = 2} return t[a], t[b]
--- negative keys and zero
local t = {[0] = "z", [-1] = "n"} return t[0], t[-1], #t
--- length after appending and removing
local t = {} for i = 1, 5 do t[#t + 1] = i end t[#t] = nil return #t, t[5]
--- length of a list filled backward
local t = {} for i = 5, 1, -1 do t[i] = i end return #t
--- length with a hole in a constructor
return #{1, nil, 3}, #{nil, nil, 3}
--- length when the last ones go
local t = {1, 2, 3} t[3] = nil t[2] = nil return #t
--- nil takes an entry away
local t = {a = 1} t.a = nil return next(t), t.a
--- insert
local t = {} table.insert(t, "a") table.insert(t, 1, "b") table.insert(t, 2, "c") return table.concat(t)
--- insert of false and nil-like values
local t = {1, 2} table.insert(t, 1, false) table.insert(t, "") return #t, t[1], t[4]
--- insert out of bounds fails
table.insert({1}, 5, 1)
--- insert with too many arguments fails
table.insert({}, 1, 2, 3)
--- remove
local t = {1, 2, 3} return table.remove(t), table.remove(t, 1), #t, t[1]
--- remove from an empty table
return table.remove({}), #{}
--- remove out of bounds fails
return table.remove({1, 2}, 7)
--- concat
return table.concat({1, 2, 3}), table.concat({1, 2, 3}, ", "), table.concat({}, "x"), table.concat({1, 2, 3}, "-", 2, 3), table.concat({1.5, "a"})
--- concat of a value that is no text fails
return table.concat({1, {}, 3})
--- concat of a hole fails
return table.concat({1, nil, 3}, ",", 1, 3)
--- concat of nil fails
return table.concat(nil)
--- sort
local t = {3, 1, 2} table.sort(t) return table.concat(t, " ")
--- sort of texts
local t = {"banana", "apple", "Cherry"} table.sort(t) return table.concat(t, " ")
--- sort by a function
local t = {3, 1, 2} table.sort(t, function(a, b) return a > b end) return table.concat(t, " ")
--- sort of tables by a field
local t = {{n = 2}, {n = 1}} table.sort(t, function(a, b) return a.n < b.n end) return t[1].n
--- sort of many
local t = {} for i = 1, 300 do t[i] = (i * 7919) % 1000 end table.sort(t) for i = 2, 300 do if t[i - 1] > t[i] then return "wrong" end end return "right"
--- sort of different types fails
table.sort({1, "a", 2})
--- sort by something that is no function fails
table.sort({1, 2}, 5)
--- unpack with a hole
return table.unpack({1, nil, 3}, 1, 3)
--- unpack of too much fails
return table.unpack({}, 1, 1e8)
--- pack
local t = table.pack(1, nil, 3) return t.n, t[1], t[3]
--- move
local t = table.move({1, 2, 3}, 1, 3, 2) return table.concat(t, " "), #table.move({1, 2}, 1, 2, 1, {})
--- rawget, rawset and rawlen
local t = setmetatable({}, {__index = function() return 1 end, __newindex = function() end, __len = function() return 9 end}) rawset(t, "a", 5) return t.a, t.b, rawget(t, "b"), #t, rawlen(t), rawlen("abc")
--- rawequal
local t = {} return rawequal(t, t), rawequal({}, {}), rawequal(1, 1.0), rawequal("a", "a")
--- next of an empty table
return next({}), type(next)
--- many keys taken away and added
local t = {} for i = 1, 200 do t["k" .. i] = i end for i = 1, 200 do t["k" .. i] = nil end for i = 1, 50 do t["n" .. i] = i end local n = 0 for _ in pairs(t) do n = n + 1 end return n
--- a list with keys beside
local t = {1, 2, 3, n = 3} local keys = 0 for _ in pairs(t) do keys = keys + 1 end return keys, #t
--- a matrix
local m = {} for i = 1, 3 do m[i] = {} for j = 1, 3 do m[i][j] = i * j end end return m[2][3], #m, #m[1]
--- a table that holds itself
local t = {} t.t = t return t.t.t == t
--- setmetatable gives the table
local t = {} return setmetatable(t, nil) == t, getmetatable(t)
--- a list in a constructor beside its own places
local t = {[1] = "a", "b", [2] = "c"} return t[1], t[2], #t
--- a place far behind the end of a list
local t = {1, 2} t[1000] = 3 return #t == 2 or #t == 1000, t[1000], t[3]
