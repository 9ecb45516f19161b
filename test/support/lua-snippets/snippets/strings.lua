--- len counts bytes
return string.len("abc"), ("é"):len(), #"\0\0"
--- sub
return ("hello"):sub(2, 3), ("hello"):sub(-3), ("hello"):sub(2), ("hello"):sub(0), ("hello"):sub(4, 2), ("hello"):sub(-100, 100)
--- sub of large positions
return ("abc"):sub(math.mininteger, math.maxinteger), ("abc"):sub(10), ("abc"):sub(-1, -1)
--- upper and lower change ASCII only
return ("aZé1"):upper(), ("aZÉ1"):lower()
--- rep
return ("ab"):rep(3), ("ab"):rep(2, "-"), ("x"):rep(0), ("x"):rep(-1), (""):rep(100)
--- rep of too much fails
return ("x"):rep(1e12)
--- reverse
return ("abc"):reverse(), (""):reverse()
--- byte
return ("A"):byte(), ("ABC"):byte(1, -1), ("ABC"):byte(10), ("é"):byte(1, 2)
--- char
return string.char(72, 105), string.char(), #string.char(0, 255)
--- char out of range fails
return string.char(256)
--- find plain text
return ("hello world"):find("wor"), ("a.b"):find(".", 1, true), ("abc"):find("x"), ("abc"):find("")
--- find from a position
return ("abcabc"):find("b", 3), ("abc"):find("a", -1), ("abc"):find("", 4), ("abc"):find("", 5)
--- find with captures
return ("key=value"):find("(%w+)=(%w+)")
--- match
return ("2024-01-02"):match("(%d+)-(%d+)-(%d+)"), ("abc"):match("%d"), ("abc"):match("b")
--- match from a position
return ("a1b2"):match("%a%d", 2), ("abc"):match("^b", 2)
--- match with a position capture
return ("hello"):match("()ll()")
--- match with an empty capture
return ("abc"):match("a()b"), ("abc"):match("(x*)")
--- classes
return ("aZ 9_!\n"):gsub("%a", "A"), ("a 9"):match("%s"), ("x7F"):match("%x+", 2), ("a!b"):match("%p"), ("\1"):match("%c") == "\1"
--- negated classes
return ("ab12"):match("%A+"), ("12ab"):match("%D+"), ("a b"):match("%S+"), ("  x"):match("%W+")
--- sets
return ("hello"):match("[aeiou]"), ("x-y"):match("[x-]+"), ("a]b"):match("[]]"), ("abc123"):match("[a-c1-2]+"), ("^x"):match("[x^]+")
--- negated sets
return ("hello"):match("[^aeiou]+"), ("abc"):match("[^]]+"), ("a b"):match("[^%s]+")
--- sets with classes
return ("a_1 b"):match("[%w_]+"), ("1.5e3"):match("[%d%.e]+")
--- repeats are greedy or lazy
return ("<a><b>"):match("<.+>"), ("<a><b>"):match("<.->"), ("aaa"):match("a-"), ("aaa"):match("a*"), ("abb"):match("ab?")
--- anchors
return ("abc"):match("^a"), ("abc"):match("^b"), ("abc"):match("c$"), ("abc"):match("^abc$"), ("a$b"):match("a$b")
--- a dot matches line breaks
return ("a\nb"):match("a.b")
--- percent escapes signs
return ("a.b"):match("%."), ("50%"):match("%%"), ("(x)"):match("%((.)%)"), ("[x]"):match("%[(.)%]")
--- balanced pairs
return ("f(a(b)c)d"):match("%b()"), ("{{}"):match("%b{}"), ("xx"):match("%bxx")
--- frontiers
return ("THE (quick) fox"):find("%f[%a]%a+%f[%A]"), ("hello world"):gsub("%f[%w]%w+", string.upper)
--- back references
return ("abab"):match("(ab)%1"), ([["quoted" 'text']]):match([[(["'])(.-)%1]])
--- gmatch
local r = {} for w in ("one two three"):gmatch("%a+") do r[#r + 1] = w end return #r, r[3]
--- gmatch with captures
local r = {} for k, v in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do r[#r + 1] = k .. v end return table.concat(r, ";")
--- gmatch with empty matches
local n = 0 for _ in ("abc"):gmatch("x*") do n = n + 1 end return n
--- gmatch of mixed empty matches
local r = {} for w in ("a,,b"):gmatch("([^,]*)") do r[#r + 1] = "<" .. w .. ">" end return table.concat(r)
--- gsub with text
return ("hello"):gsub("l", "L"), ("hello"):gsub("l", "L", 1), ("abc"):gsub("", "-"), ("abc"):gsub("x", "y")
--- gsub with captures
return ("hello world"):gsub("(%w+) (%w+)", "%2 %1"), ("abc"):gsub("%w", "%0%0"), ("abc"):gsub("b", "%%")
--- gsub with a function
return ("abc"):gsub("%w", function(c) return c:upper() .. "." end), ("abc"):gsub("b", function() return nil end), ("abc"):gsub("b", function() return false end)
--- gsub with a function and captures
return ("a=1"):gsub("(%w)=(%w)", function(k, v) return v .. "=" .. k end)
--- gsub with a table
return ("$name is $age"):gsub("%$(%w+)", {name = "Bob", age = 42}), ("$x"):gsub("%$(%w+)", {})
--- gsub that gives a number
return ("abc"):gsub("b", function() return 5 end), ("abc"):gsub("b", 7)
--- gsub with a wrong result fails
return ("abc"):gsub("b", function() return {} end)
--- gsub with an anchor
return ("aaa"):gsub("^a", "b"), ("hello"):gsub("^", ">")
--- gsub with no match for an empty subject
return (""):gsub("", "x"), (""):gsub("a*", "x")
--- gsub with a position capture
return ("ab"):gsub("()", "%1")
--- gsub with a dollar of JavaScript
return ("abc"):gsub("b", "$&$1$`"), ("a.b"):gsub("%.", "${x}")
--- gsub with a wrong percent fails
return ("abc"):gsub("b", "%x")
--- gsub with a capture that is not there fails
return ("abc"):gsub("b", "%2")
--- gsub without a replacement fails
return ("abc"):gsub("b")
--- a pattern that ends with percent fails
return ("abc"):find("%")
--- a set without its end fails
return ("abc"):find("[a")
--- a capture without its end fails
return ("abc"):find("(a")
--- an end of no capture fails
return ("abc"):find("a)")
--- balance without its signs fails
return ("abc"):find("%b")
--- a frontier without its set fails
return ("abc"):find("%fa")
--- bytes above 127 in patterns
return ("é"):match("[\195]"), ("aéb"):gsub("[\128-\255]+", "?"), ("日本"):match("本")
--- zero bytes in patterns
return ("a\0b"):find("\0"), ("a\0b"):match("%z") == nil or "z", #("a\0b"):gsub("\0", "x")
--- trimming
local function trim(s) return (s:gsub("^%s+", ""):gsub("%s+$", "")) end return "[" .. trim("  a b  ") .. "]"
--- splitting lines
local r = {} for line in ("a\nb\n\nc"):gmatch("([^\n]*)\n?") do r[#r + 1] = line end return #r, r[3]
--- tostring
return tostring(nil), tostring(true), tostring(12), tostring(1.5), tostring("x"), tostring(-0.0), tostring(1e300)
--- tostring of tables and functions says what they are
return (tostring({}):match("^table: ")), (tostring(print):match("^%a+: ")), tostring({}) ~= tostring({})
--- tostring without a value fails
return tostring()
--- tonumber
return tonumber("10"), tonumber("1.5"), tonumber("0x1F"), tonumber("  7  "), tonumber("1e2"), tonumber(""), tonumber("abc"), tonumber("1 2"), tonumber(nil)
--- tonumber of text that JavaScript takes for a number
return tonumber("Infinity"), tonumber("inf"), tonumber("nan"), tonumber("0b1"), tonumber("0o7"), tonumber("1_000"), tonumber("."), tonumber("0x"), tonumber("1e"), tonumber("- 1")
--- tonumber with a base
return tonumber("ff", 16), tonumber("777", 8), tonumber("zz", 36), tonumber("12", 2), tonumber("-ff", 16), tonumber("8", 8)
--- tonumber with a wrong base fails
return tonumber("1", 99)
--- tonumber of a table
return tonumber({}), tonumber(true)
--- format of numbers
return ("%d %5d|%-5d|%05d|%+d"):format(1, 2, 3, 4, 5)
--- format of floats
return ("%f %.2f %8.3f|%-8.1f| %e %.3e"):format(1.5, 3.14159, 2.5, 1, 12345.678, 0.00012)
--- format of general floats
return ("%g %g %g %g %g %.3g"):format(1, 1.5, 1e20, 1e-5, 100000, 2/3)
--- format of hexadecimal and octal
return ("%x %X %#x %o"):format(255, 255, 255, 8), ("%x"):format(-1)
--- format of characters and texts
return ("%c%c|%s|%5s|%-5s|%.2s|"):format(72, 105, "x", "ab", "cd", "efg")
--- format takes anything for %s
return ("%s %s %s %s"):format(nil, true, 1.0, 12)
--- format of quoted text
return ("%q"):format('a "b" \\ \n \0 \r 1'), ("%q"):format(1 / 3), ("%q"):format(10)
--- format of a whole float as an integer
return ("%d"):format(3.0)
--- format of a fraction as an integer fails
return ("%d"):format(3.5)
--- format of text that says a number
return ("%d %.1f"):format("10", "2.5")
--- format without an argument fails
return ("%d"):format()
--- format of text as a number fails
return ("%d"):format("x")
--- format with an unknown letter fails
return ("%y"):format(1)
--- format of a percent sign
return ("100%%"):format(), ("%5.1f%%"):format(99.5)
--- format goes by __tostring
return ("%s"):format(setmetatable({}, {__tostring = function() return "me" end}))
--- format of infinities
return ("%f %g %.1f"):format(math.huge, -math.huge, math.huge), ("%5.1f|"):format(-0.04)
--- format of a hexadecimal float
return ("%a"):format(1), ("%a"):format(0.5)
--- a text is not a table
local s = "x" s.y = 1
--- a field of text that is not there
return ("x").nothing, ("x").len ~= nil
--- texts have no numbered characters
return ("abc")[1]
--- numbers as arguments for texts
return string.len(12345), string.sub(12345, 2, 3), (5 .. ""):rep(2), string.upper(1.5)
--- a bad argument names the function
return string.rep()
--- a bad argument names the type
return string.sub({}, 1)
--- a bad argument of a method counts from the text
return ("x"):rep({})
--- a bad argument in the middle
return ("x"):sub("a")
--- a fraction where an integer is needed
return ("x"):rep(1.5)
--- comparing a long text
return ("a"):rep(1000) == ("a"):rep(1000), ("a"):rep(1000) < ("a"):rep(1001)
--- building a text piece by piece
local s = "" for i = 1, 200 do s = s .. i end return #s
