--- decimal escapes
return "\65\066\0067", #"\0"
--- hexadecimal and unicode escapes
return "\x41\x7a", "\u{48}\u{20AC}\u{1F600}"
--- the escape that skips white space
return "a\z
        b"
--- long brackets drop the first line break
return [[
one
two]], [==[a]]b]==]
--- text that JavaScript would interpolate
return "${process.version}", '${1+1}', [[${x}]], "\36{process.version}", "\x24{1}", "`${1}`"
--- backslashes and quotes
return "\\", "\"", '\'', '"', "`", "\\`", "\\${1}"
--- control characters
return "\a\b\f\n\r\t\v"
--- text beyond ASCII is bytes
return "é", #"é", "日本", #"日本"
--- a comment beyond ASCII
-- é 日本 ${x} `
return 1 -- ü
--- long comments
--[[ a
b ]] return 1 --[==[ c ]] d ]==]
--- integer literals
return 0, 007, 123456789012, 9007199254740993, 9223372036854775807
--- an integer literal that is too large is a float
return 9223372036854775808, 1e15, 1e16, 1e100
--- hexadecimal integers wrap around
return 0xff, 0XA, 0xffffffffffffffff, 0x7fffffffffffffff, 0x1ffffffffffffffff
--- float literals
return 1.0, .5, 5., 3e2, 1E-2, 0.1, 3.14159265358979
--- hexadecimal floats
return 0x.8, 0x1p4, 0xA.8p1
--- nil and booleans
return nil, true, false
--- names that JavaScript keeps for itself
local new, class, this, var, let, const, delete, void, typeof, await, step, args, vars, vals, label = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
return new + class + this + var + let + const + delete + void + typeof + await + step + args + vars + vals + label
--- fields that JavaScript objects have
local t = {} return t.constructor, t.__proto__, t.toString, t.hasOwnProperty, t.length, t.prototype
--- globals that JavaScript objects have
return constructor, __proto__, toString, hasOwnProperty, globalThis, process, require
--- a field named __proto__ is a field like any other
local t = {} t.__proto__ = 5 t.constructor = 6 return t.__proto__, t.constructor, next(t) ~= nil
--- a local named __proto__ holds its value
local __proto__ = print return __proto__ == print, constructor
--- semicolons
;;; local a = 1; ; return a;
--- an empty chunk
--- only a comment
-- nothing
--- a shebang line
#!/usr/bin/lua
return 1
--- an unfinished string is a syntax error
return "abc
--- an unknown escape is a syntax error
return "\q"
--- a decimal escape over 255 is a syntax error
return "\256"
--- a missing end is a syntax error
if true then return 1
--- two statements need no separator
local a = 1 local b = 2 return a + b
--- a constant local variable
local x <const> = 5 return x
--- a local variable that closes
local log = {}
do local x <close> = setmetatable({}, { __close = function() log[1] = "closed" end }) end
return log[1]
--- names that a translation might use for itself
local v1, k0, h_call, h_index, __lua, K, L1, h = 1, 2, 3, 4, 5, 6, 7, 8
h_closure, h_store, k1, v2, vals2, exec = 9, 10, 11, 12, 13, 14
local function f(a, ...) local v3 = ... return a, v3 end
return v1 + k0 + h_call + h_index + __lua + K + L1 + h, h_closure + h_store + k1 + v2 + vals2 + exec, f(1, 2)
