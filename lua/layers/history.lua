-- The conversation, one entry a line, oldest first, as tools.conversation tells it.

local tools = require "tools"

return function(builder, options)
  builder:add_layer("history", 100, tools.conversation(options), false, {
    trim = "oldest", heading = "## The conversation so far",
  })
end
