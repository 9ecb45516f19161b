-- Where the conversation takes place, and what is to be done there.

local text = require "text"
local tools = require "tools"

local function exits_line(exits)
  local parts = {}
  for index, exit in ipairs(exits) do parts[index] = exit.direction .. " to " .. exit.room end
  return #parts > 0 and "Exits: " .. table.concat(parts, ", ") or nil
end

-- What is still to be done comes first: of a list that is too long, the end is left out.
local function todo_text(items)
  local open, completed = {}, {}
  for _, item in ipairs(items) do
    local lines = item.status == "completed" and completed or open
    lines[#lines + 1] = string.format("- [%s] %s", item.status, text.one_line(item.content))
  end
  for _, line in ipairs(completed) do open[#open + 1] = line end
  return table.concat(open, "\n")
end

local function pins_text(pins)
  local lines = {}
  for index, pin in ipairs(pins) do lines[index] = "- " .. text.one_line(pin) end
  return #lines > 0 and "Pinned lines:\n" .. table.concat(lines, "\n") or nil
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
  add(pins_text(room.pins or {}))
  add(exits_line(room.exits))
  local most = text.share(tools.session().target)
  builder:add_layer("room", 20, table.concat(lines, "\n"), false, { trim = "head", max_tokens = most })
  builder:add_layer("todo", 60, todo_text(room.todo), false, {
    trim = "head", heading = "## To do", max_tokens = most, placement = "late",
  })
end
