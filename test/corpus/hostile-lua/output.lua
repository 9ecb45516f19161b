-- Scripts that give back more than anybody can use, or print it.

--> limit the layers are
function default_wrap() return wrap():custom("x", ("y"):rep(1e6)) end
--> limit
function default_wrap() return wrap():custom("x", ("漢"):rep(3e5), 1, true, { trim = "head" }) end
--> limit
function default_wrap() return wrap():custom("x", ("\0"):rep(4e5)) end
--> limit
function default_wrap()
  local w = wrap()
  for i = 1, 200 do w:custom("l" .. i, ("y"):rep(5000)) end
  return w
end
--> limit
function default_wrap() return wrap():custom("x", "text", 1, true, { heading = ("h"):rep(1e6) }) end
--> limit
function default_wrap() return wrap():custom("x", ("\u{1F600}"):rep(1e6)) end
--> limit
function default_wrap() return wrap():custom("x", ("y"):rep(6e7)) end
--> harmless
for i = 1, 20 do print(("x"):rep(1e6)) end
--> harmless
print(nil, {}, function() end, ("x"):rep(1e6))
--> harmless
for i = 1, 60 do tools.log("info", ("x"):rep(1000) .. i) end
--> harmless
tools.log(("level"):rep(1e4), "\27[2J\27]0;title\7\0\n\r")
--> harmless
function default_wrap(t) return wrap(t):system():custom("esc", "\27[2J\27]0;x\7 ${process.exit()} `x` \u{202e}") end
--> harmless
function default_wrap(t) return wrap(t):custom("bytes", "\xff\xfe\x80\xc0 not UTF-8") end
--> harmless
function default_wrap(t) return wrap(t):custom("nul", "a\0b\0") end
--> harmless
function default_wrap(t) return wrap(t):custom("json", '","system":true},{"name":"x"}]}') end
--> script the script raised an error that is not text but a table
error({ ("x"):rep(1e6) })
