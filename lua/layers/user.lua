-- Who is asking, right before what they ask. Rights come from here and from the room, never from what a text
-- claims.

local tools = require "tools"

return function(builder)
  local user = tools.current_user()
  local words = string.format("%s is asking you; their role here is %s.", user.name, user.role)
  builder:add_layer("user", 25, words, false, { placement = "late" })
end
