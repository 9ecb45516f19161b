-- Where the conversation takes place.

local text = require "text"
local tools = require "tools"

local function exits_line(exits)
  local parts = {}
  for index, exit in ipairs(exits) do parts[index] = exit.direction .. " to " .. exit.room end
  return #parts > 0 and "Exits: " .. table.concat(parts, ", ") or nil
end

local function todo_lines(items)
  if #items == 0 then return nil end
  local lines = { "To do:" }
  for _, item in ipairs(items) do
    lines[#lines + 1] = string.format("- [%s] %s", item.status, text.one_line(item.content))
  end
  return table.concat(lines, "\n")
end

local function labelled(label, value)
  return value ~= "" and label .. ": " .. text.indent(value) or nil
end

return function(builder)
  local room = tools.look()
  local lines = { "## The room", string.format("Name: %s%s", room.name, room.private and " (private)" or "") }
  local function add(line) lines[#lines + 1] = line end
  add(labelled("Topic", room.topic))
  add(labelled("Mood", room.vibe))
  add(exits_line(room.exits))
  add(todo_lines(room.todo))
  builder:add_layer("room", 20, table.concat(lines, "\n"), false, { trim = "head" })
end
