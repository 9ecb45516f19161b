-- A room's hooks: functions of its script that the server calls when something happens. For these the script runs in place
-- of composing a prompt. src/prompt/hooks has the server's side.

local host = require "host"
local snapshot = require "snapshot"
local where = require "where"

local hooks = {}

local MAX_ANSWER_BYTES = 16384

-- Keys of the table that a hook may return.
local KEYS = { on_message = { "webhook" }, after_turn = {} }

local function describe(value)
  return type(value) == "table" and "a table" or type(value) == "function" and "a function" or tostring(value)
end

-- Logs the keys of an answer that the hook does not take.
local function log_unknown(name, answer)
  local taken, unknown = {}, {}
  for _, key in ipairs(KEYS[name]) do taken[key] = true end
  for key in pairs(answer) do
    if not taken[key] then unknown[#unknown + 1] = tostring(key) end
  end
  if #unknown == 0 then return end
  table.sort(unknown)
  local takes = #KEYS[name] == 0 and " takes none" or " takes " .. table.concat(KEYS[name], ", ")
  local text = "the answer has unknown keys: " .. table.concat(unknown, ", ") .. "; " .. name .. takes
  host("log", { level = "warning", text = text })
end

-- Calls the hook, if the script has it. Returns { refusal = … } where it refuses a call, { webhook = … }
-- where it sends what was said.
function hooks.run(environment)
  local name = snapshot.hook.name
  local hook = environment[name]
  if hook == nil then return {} end
  if type(hook) ~= "function" then
    error(where() .. name .. " must be a function, it is " .. describe(hook), 0)
  end
  local answer = hook(snapshot.hook.argument)
  if KEYS[name] and type(answer) == "table" then log_unknown(name, answer) end
  if name == "on_message" and type(answer) == "table" and answer.webhook ~= nil then
    if type(answer.webhook) ~= "string" then
      error(where() .. "webhook must be the name of one, it is " .. describe(answer.webhook), 0)
    end
    return { webhook = answer.webhook }
  end
  if name ~= "before_tool_call" or answer == nil then return {} end
  if type(answer) ~= "string" then
    error(where() .. name .. " must return nil or a text, it returned " .. describe(answer), 0)
  end
  if #answer > MAX_ANSWER_BYTES then
    error(where() .. name .. " must return a text of at most " .. MAX_ANSWER_BYTES .. " bytes, it returned " .. #answer, 0)
  end
  return { refusal = answer }
end

return hooks
