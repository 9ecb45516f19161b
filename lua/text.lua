-- Helpers for the texts of layers.

local text = {}

-- Every line after the first is indented, so that no line of one speaker can look like another speaker's.
function text.indent(value)
  return (string.gsub(value, "\n", "\n  "))
end

-- The value on one line.
function text.one_line(value)
  return (string.gsub(string.gsub(value, "%s+", " "), "^ ?(.-) ?$", "%1"))
end

-- The tokens that a list of a room may have of a prompt, however long the list is: functions and the conversation need the
-- rest.
function text.share(target)
  return math.floor(target / 8)
end

return text
