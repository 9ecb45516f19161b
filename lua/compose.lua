-- One composition: defines what scripts see as globals, runs default.lua and then the room's script in
-- the script's environment, and calls `default_wrap`. The result is JSON, read by src/wrap/draft.ts.

local builder = require "wrap"
local encode = require("json").encode -- taken now: a script can change the module, not what is used here
local snapshot = require "snapshot"
local tools = require "tools"

return function(environment, default, script)
  environment.wrap = builder.wrap
  environment.layer = builder.layer
  environment.tools = tools
  default(environment)
  if script then script(environment) end
  if type(environment.default_wrap) ~= "function" then
    error("default_wrap must be a function, it is a " .. type(environment.default_wrap), 0)
  end
  return encode(builder.finish(environment.default_wrap(snapshot.target)))
end
