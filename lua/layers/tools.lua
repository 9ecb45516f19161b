-- The functions that the model may call. Each has a line here; its definition is sent beside the prompt. The host decides
-- for each what the budget allows: all of it, a short form, or its name only.

local tools = require "tools"

-- Each text begins at the margin and ends with a line break.
local words = {
  loaded = "## Your Functions\n\n",
  deferred = "### Not Loaded\n\nThese functions exist but are not loaded. "
    .. "Call find_tools with a few words about what you need; what it finds can be called from your next step on.\n\n",
  more = "- … and %d more, which find_tools knows\n",
}

return function(builder, scope)
  local text, chosen = tools.select_tools(scope, words)
  builder:add_layer("tools", 50, text, true, { tools = chosen })
end
