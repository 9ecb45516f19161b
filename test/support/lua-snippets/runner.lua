-- A room script that runs snippets and makes a layer of what each of them gave, as plain ASCII.

local function shown(value)
  if type(value) == "string" then
    return '"' .. string.gsub(value, '[%c"\\\128-\255]', function(sign) return string.format("\\%03d", string.byte(sign)) end) .. '"'
  end
  if type(value) == "number" then return math.type(value) .. " " .. tostring(value) end
  if type(value) == "nil" or type(value) == "boolean" then return tostring(value) end
  return "a " .. type(value)
end

local function listed(ok, ...)
  local parts = table.pack(...)
  for index = 1, parts.n do parts[index] = shown(parts[index]) end
  return (ok and "gives " or "raises ") .. table.concat(parts, ", ")
end

local function outcome(source)
  local globals = setmetatable({ string = setmetatable({}, { __index = string }) }, { __index = _G })
  globals._G = globals
  local chunk, problem = load(source, "=snippet", "t", globals)
  if not chunk then return "does not compile: line " .. tostring(string.match(problem, "^snippet:(%d+):")) end
  return listed(pcall(chunk))
end

function default_wrap(target)
  local result = wrap(target)
  for index = 1, tonumber(tools.room_kv_get("count")) do
    result:custom(tostring(index), outcome(tools.room_kv_get(tostring(index))), index)
  end
  return result
end
