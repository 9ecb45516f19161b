-- JSON for the host, without any byte that could be lost on the way.

local where = require "where"

local json = {}
local MAX_DEPTH = 16

local short = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r" }

local function escape(character)
  return short[character] or string.format("\\u%04x", string.byte(character))
end

-- Escaping letter by letter is slow in Lua, so longer texts are quoted by the library.
-- src/wrap/lua/lua-values.ts reads both.
local MAX_ESCAPED_BYTES = 200

local function quote(text)
  if #text > MAX_ESCAPED_BYTES then return string.format("%q", text) end
  if not string.find(text, '[%c"\\\127]') then return '"' .. text .. '"' end
  return '"' .. string.gsub(text, '[%c"\\\127]', escape) .. '"'
end

local function is_list(value)
  local count = 0
  for _ in next, value do count = count + 1 end
  return count == #value
end

local encode

local function encode_list(value, depth, texts)
  local parts = {}
  for index = 1, #value do parts[index] = encode(value[index], depth, texts) end
  return "[" .. table.concat(parts, ",") .. "]"
end

local function encode_object(value, depth, texts)
  local parts = {}
  for key, inner in pairs(value) do
    parts[#parts + 1] = quote(tostring(key)) .. ":" .. encode(inner, depth, texts)
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

local function encode_number(value)
  if value ~= value or value == math.huge or value == -math.huge then return "null" end
  if math.type(value) == "integer" then return string.format("%d", value) end
  return string.format("%.17g", value)
end

-- Half a character: no text of Lua is read as this, so the host knows that the number behind it stands for a text.
local GIVEN_TEXT = '"\\ud800%d"'

local function encode_text(text, texts)
  local number = texts and #text > MAX_ESCAPED_BYTES and texts.number_of(text)
  return number and string.format(GIVEN_TEXT, number) or quote(text)
end

-- A value that JSON cannot write becomes an object with its type, which no reader takes for a list or a name.
function encode(value, depth, texts)
  local kind = type(value)
  if kind == "nil" then return "null" end
  if kind == "boolean" then return tostring(value) end
  if kind == "number" then return encode_number(value) end
  if kind == "string" then return encode_text(value, texts) end
  if kind ~= "table" then return '{"lua":' .. quote(kind) .. "}" end
  if depth >= MAX_DEPTH then error(where() .. "a table is nested deeper than " .. MAX_DEPTH .. " levels", 0) end
  return is_list(value) and encode_list(value, depth + 1, texts) or encode_object(value, depth + 1, texts)
end

-- An empty table is an empty list. Long texts that the host gave, which `texts` knows, are named by their numbers.
function json.encode(value, texts)
  return encode(value, 0, texts)
end

return json
