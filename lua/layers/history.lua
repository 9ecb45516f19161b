-- The conversation, one entry a line, oldest first. A later line of an entry is indented, and a tool's
-- result is a later line of its call: whatever starts at the margin is a new speaker.

local text = require "text"
local tools = require "tools"

local longest_result = 400

local function said(row) return row.author .. ": " .. text.indent(row.text) end

local render = {
  message = said,
  reply = said,
  action = function(row) return "* " .. row.author .. " " .. text.indent(row.text) end,
  tool_call = function(row)
    return string.format("%s called %s %s", row.author, row.name, text.indent(row.arguments))
  end,
  tool_result = function(row)
    return "  result of " .. row.name .. ": " .. text.indent(text.clip(row.text, longest_result))
  end,
}

local function shown(row)
  return (render[row.kind] or function() return "[" .. row.kind .. "] " .. text.indent(row.text) end)(row)
end

local function call_key(row) return (row.turn or "") .. "\n" .. row.call end

-- A result goes under its call; one whose call is not among the rows stands alone.
local function blocks_of(rows)
  local blocks, calls = {}, {}
  for _, row in ipairs(rows) do
    local at = row.kind == "tool_result" and calls[call_key(row)]
    if at then
      blocks[at] = blocks[at] .. "\n" .. shown(row)
    elseif row.kind == "tool_result" then
      blocks[#blocks + 1] = row.author .. " had a " .. string.sub(shown(row), 3)
    else
      blocks[#blocks + 1] = shown(row)
      if row.kind == "tool_call" then calls[call_key(row)] = #blocks end
    end
  end
  return blocks
end

return function(builder, options)
  local blocks = blocks_of(tools.history(options))
  builder:add_layer("history", 100, table.concat(blocks, "\n"), false, {
    trim = "oldest", heading = "## The conversation so far",
  })
end
