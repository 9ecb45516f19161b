-- The functions that the model may call. Each has a line here; its definition is sent beside the prompt.
-- The host decides how much of them the budget allows: full, short, or deferred (names only).

local tools = require "tools"

local headings = {
  full = "## Your Functions\n\n",
  short = "## Your Functions\n\nDescriptions are shortened to save space.\n\n",
  deferred = "## Your Functions\n\nThese functions exist but are not loaded. "
    .. "Call find_tools with a few words about what you need; what it finds can be called from your next step on.\n\n",
}

return function(builder, scope)
  local chosen = tools.select_tools(scope)
  local text = #chosen.ids > 0 and headings[chosen.form] .. table.concat(chosen.lines) or nil
  local trim = chosen.form == "deferred" and "head" or "none"
  builder:add_layer("tools", 50, text, true, { tools = { form = chosen.form, ids = chosen.ids }, trim = trim })
end
