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

return text
