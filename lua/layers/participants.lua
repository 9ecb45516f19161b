-- Who is present.

local text = require "text"
local tools = require "tools"

local function names_of(kind, pattern)
  local names = {}
  for _, who in ipairs(tools.who()) do
    if who.kind == kind then names[#names + 1] = string.format(pattern, who.name, who.role) end
  end
  return table.concat(names, ", ")
end

return function(builder)
  local lines, people, models = {}, names_of("person", "%s (%s)"), names_of("model", "@%s")
  if people ~= "" then lines[#lines + 1] = "People here: " .. people end
  if models ~= "" then lines[#lines + 1] = "Models here: " .. models end
  builder:add_layer("participants", 30, table.concat(lines, "\n"), false, {
    trim = "head", heading = "## Who is here", max_tokens = text.share(tools.session().target), placement = "late",
  })
end
