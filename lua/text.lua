-- Shapes of text that layers share.

local text = {}

-- Every line after the first is indented, so that no line of one speaker reads as the next speaker.
function text.indent(value)
  return (string.gsub(value, "\n", "\n  "))
end

-- One line, however the value was written.
function text.one_line(value)
  return (string.gsub(string.gsub(value, "%s+", " "), "^ ?(.-) ?$", "%1"))
end

-- At most `limit` characters (not bytes) and a note of how many are missing.
function text.clip(value, limit)
  local length = utf8.len(value)
  if not length or length <= limit then return value end
  local stop = utf8.offset(value, limit + 1)
  return string.sub(value, 1, stop - 1) .. string.format("… [%d more characters]", length - limit)
end

return text
