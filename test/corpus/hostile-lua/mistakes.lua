-- Scripts that are not Lua, raise what is no text, or misuse what they may know.

--> script script:1: unexpected symbol near '='
x = = 1
--> script script:3:
local x = 1

function (
--> script script:1: unfinished string
x = "abc
--> script script:1: malformed number
x = 3x
--> script script:1:
return return
--> script script:1: syntax error near 'is'
this is not Lua
--> script no visible label 'nowhere' for <goto> at line 1
goto nowhere
--> script break outside loop at line 1
break
--> script script:1:
local x <const> = 1; x = 2
--> script script:1:
#!/bin/sh
--> script script:1: unexpected symbol
<?php system("id") ?>
--> script script:1:
const x = require("fs")
--> script script:1: invalid escape sequence
x = "\q"
--> script script:1:
x = "\u{FFFFFFFFF}"
--> script the script raised an error that is not text but a nil
error()
--> script the script raised an error that is not text but a table
error({})
--> script the script raised an error that is not text but a function
error(print)
--> script the script raised an error that is not text but a boolean
error(true)
--> script script:1: on purpose
error("on purpose")
--> script on purpose
error("on purpose", 0)
--> script
error(setmetatable({}, { __tostring = function() while true do end end }))
--> script script:2: assertion failed!
local ok = false
assert(ok)
--> script tools.room_kv_get: the key must be text, got a table
tools.room_kv_get({})
--> script tools.room_kv_get: the key must be text, got nil
tools.room_kv_get()
--> script tools.count_tokens: takes text, got a table
tools.count_tokens({})
--> script tools.history: limit must be a whole number
tools.history(-1)
--> script tools.history: limit must be a whole number
tools.history(1.5)
--> script tools.history: limit must be a whole number
tools.history(0 / 0)
--> script tools.history: options must be a number or a table
tools.history("all")
--> script tools.history: kinds must be a list
tools.history({ kinds = "message" })
--> script tools.history: since must be
tools.history({ since = {} })
--> script
tools.nothing()
--> script
tools.look()()
--> script attempt to compare
return 1 < "2"
--> script attempt to concatenate
return "x" .. {}
--> script attempt to perform arithmetic
return {} + 1
--> script
return 1 // 0
--> script
return 1 % 0
--> script
return math.tointeger("x") + 1
--> script
string.rep()
--> script
string.format("%d", 1.5)
--> script
string.format("%y", 1)
--> script
utf8.codepoint("\xff")
--> script
table.concat({ {} })
--> script
for i = 1, 10, 0 do end
--> script
local t = setmetatable({}, { __metatable = "locked" }) setmetatable(t, {})
--> script
next({}, "nothing")
--> script
select(0)
