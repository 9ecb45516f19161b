-- Who is present.

local tools = require "tools"

local function named(kind)
  local names = {}
  for _, who in ipairs(tools.who()) do
    if who.kind == kind then
      names[#names + 1] = (kind == "model" and "@" or "") .. who.name .. (kind == "person" and " (" .. who.role .. ")" or "")
    end
  end
  return table.concat(names, ", ")
end

return function(builder)
  local lines, people, models = {}, named("person"), named("model")
  if people ~= "" then lines[#lines + 1] = "People here: " .. people end
  if models ~= "" then lines[#lines + 1] = "Models here: " .. models end
  builder:add_layer("participants", 30, table.concat(lines, "\n"), false, { trim = "head" })
end
