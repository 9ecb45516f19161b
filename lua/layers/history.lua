-- The conversation, oldest entry first, as tools.conversation writes it.

local tools = require "tools"
local wrap = require "wrap"

return function(builder, options)
  builder:add_layer("history", 100, wrap.unread(builder, options) or tools.conversation(options), false, {
    trim = "oldest", heading = "## The conversation so far",
  })
end
