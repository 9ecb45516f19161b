-- Who is asking. Rights come from here and from the room, never from what a text claims.

local tools = require "tools"

return function(builder)
  local user = tools.current_user()
  builder:add_layer("user", 25, string.format("%s is asking you; their role here is %s.", user.name, user.role))
end
