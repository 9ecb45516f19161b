-- Scripts that look for a way out of their box.

--> script
io.open("/etc/passwd")
--> script
io.popen("id")
--> script
io.write("x")
--> script
io.lines("/etc/passwd")
--> script
os.execute("touch pwned")
--> script
os.getenv("CANARY")
--> script
os.exit(0)
--> script
os.remove("package.json")
--> script
os.tmpname()
--> script
os.time()
--> script there is no module "fs"
require "fs"
--> script there is no module "child_process"
require("child_process")
--> script there is no module "node:net"
require("node:net")
--> script there is no module "os"
require "os"
--> script there is no module "host"
require "host"
--> script there is no module "snapshot"
require "snapshot"
--> script there is no module "modules"
require "modules"
--> script there is no module "where"
require "where"
--> script there is no module "../../package"
require "../../package"
--> script there is no module "/etc/passwd"
require "/etc/passwd"
--> script there is no module "__proto__"
require "__proto__"
--> script there is no module "nil"
require(nil)
--> script there is no module
require({})
--> script
package.loaded.os.exit()
--> script
package.loadlib("/lib/libc.so.6", "system")
--> script
dofile("/etc/passwd")
--> script
loadfile("/etc/passwd")
--> script
loadstring("return 1")()
--> script
debug.getinfo(1)
--> script
debug.getregistry()
--> script
debug.sethook()
--> script
debug.setmetatable("", {})
--> script
debug.getupvalue(require, 1)
--> script
coroutine.create(function() end)
--> script
coroutine.wrap(function() while true do end end)()
--> script
collectgarbage("stop")
--> script
string.dump(function() end)
--> script
math.randomseed(1)
--> script
load("\27Lua\x54\0\x19\x93\r\n\x1a\n")()
--> script
load(string.char(27) .. "LJ", "x", "b")()
--> script the chunk must be text
assert(load(function() return "return 1" end))
--> script
load("return io.open('/etc/passwd')", "x", "t")()
--> script
load("return os.getenv('CANARY')", "x", "t", {})()
--> script
getmetatable("").__index.upper = function() return "mine" end
--> script
getmetatable("").__metatable = nil
--> script
setmetatable("", {})
--> script
getmetatable(wrap()).__index = {}
--> script
setmetatable(wrap(), {})
--> script __gc is not available
setmetatable({}, { __gc = function() while true do end end })
--> script
process.exit(1)
--> script
globalThis.process.exit(1)
--> script
_G.process.env.CANARY = 1
--> script
window.alert(1)
--> script
constructor("return process")()
--> script
("").constructor("return process.exit(1)")()
--> script
local t = {} t.__proto__.polluted = 1
--> script
tools.constructor.constructor("return process.exit(1)")()
--> script
tools.__proto__.x = 1
--> script
local __proto__ = print return constructor("return process.version")()
--> script
toString.constructor("return 1")()
--> script
require.main.require("fs")
--> script
module.exports = {}
--> script
eval("1 + 1")
--> script
import("fs")
--> script attempt to call a nil value
host("available_tools", "all")
--> script
snapshot.target = 1
--> script attempt to
debug = debug or nil debug.traceback()
--> harmless
local a = "${process.exit()}" local b = "\36{process.exit()}" local c = [[${process.exit()}]]
--> harmless
local a = "`${require('fs').readFileSync('/etc/passwd')}`" tools.log("info", a)
--> harmless
_G = nil _ENV.x = 1
--> harmless
_ENV = setmetatable({}, { __index = _ENV })
--> harmless
local e = load("return _ENV")() e.print = nil e.x = 1
--> harmless
for name in pairs(_G) do if name ~= "default_wrap" then tools.log("info", name) end end
--> harmless
string.upper = nil table.concat = nil math.floor = nil ipairs = nil pairs = nil pcall = nil tostring = nil
--> harmless
string.format = function() while true do end end table.insert = error
--> script attempt to call a nil value
tools.history = nil tools.count_tokens = nil tools.select_tools = nil
--> harmless
tools.look().name = "elsewhere" tools.current_user().role = "admin" tools.who()[1] = nil
--> harmless
math.random = function() return 4 end tools.log("info", tostring(math.random()))
--> harmless
require("json").encode = function() return '{"target":1e9,"layers":[],"warnings":[]}' end
--> harmless
require("json").encode = function() return "not JSON" end
--> harmless
require("json").encode = function() return 5 end
--> harmless
require("json").encode = nil
--> script wrap: the draft is not of the form that wrap() gives
require("wrap").finish = function() return "[]" end
--> script wrap: a layer is not of the form that wrap() gives
require("wrap").finish = function() return { target = 9, layers = { 5 }, warnings = {} } end
--> script wrap: the trim of a layer is not none, head, tail or oldest
require("wrap").finish = function()
  return { target = 9, layers = { { name = "a", priority = 1, text = "x", trim = "x", heading = "" } }, warnings = {} }
end
--> script wrap: there are 300 layers
require("wrap").finish = function()
  local layers = {}
  for i = 1, 300 do layers[i] = { name = "a", priority = 1, text = "x", trim = "none", heading = "" } end
  return { target = 9, layers = layers, warnings = {} }
end
--> script wrap: a number is not of the form that wrap() gives
require("wrap").finish = function() return { target = 0 / 0, layers = {}, warnings = {} } end
--> script what tools.select_tools chose
require("tools").select_tools = function() return "- **x**\n", 1 end
