-- The conversation, oldest entry first, as tools.conversation writes it.

local tools = require "tools"

return function(builder, options)
  builder:add_layer("history", 100, tools.conversation(options), false, {
    trim = "oldest", heading = "## The conversation so far",
  })
end
