-- A room's hooks: functions of its script that the server calls when something happens. For these the script runs in place
-- of composing a prompt. src/prompt/hooks has the server's side.

local host = require "host"
local snapshot = require "snapshot"
local where = require "where"

local hooks = {}

local MAX_ANSWER_BYTES = 16384

-- Keys of the table that a hook may return.
local KEYS = {
  on_message = { "ask", "say", "text", "webhook" },
  on_program_line = { "ask", "say", "text" },
  after_turn = {},
}

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

local function check_text(name, text)
  if #text > MAX_ANSWER_BYTES then
    error(where() .. name .. " must return a text of at most " .. MAX_ANSWER_BYTES .. " bytes, it returned " .. #text, 0)
  end
end

-- Returns the keys of an answer that the server acts on.
local function checked(name, answer)
  local kept = {}
  for _, key in ipairs(KEYS[name]) do
    local value = answer[key]
    if value ~= nil then
      if type(value) ~= "string" then
        local what = key == "webhook" and "the name of one" or "a text"
        error(where() .. key .. " must be " .. what .. ", it is " .. describe(value), 0)
      end
      check_text(name, value)
      kept[key] = value
    end
  end
  if kept.say and kept.ask then error(where() .. "an answer has say or ask, not both", 0) end
  if (kept.ask == nil) ~= (kept.text == nil) then error(where() .. "ask and text go together", 0) end
  return kept
end

-- Calls the hook, if the script has it. Returns { refusal = … } where it refuses a call; else what its
-- answer says in the room, and where it sends what was said.
function hooks.run(environment)
  local name = snapshot.hook.name
  local hook = environment[name]
  if hook == nil then return {} end
  if type(hook) ~= "function" then
    error(where() .. name .. " must be a function, it is " .. describe(hook), 0)
  end
  local answer = hook(snapshot.hook.argument)
  if KEYS[name] and type(answer) == "table" then
    log_unknown(name, answer)
    return checked(name, answer)
  end
  if name ~= "before_tool_call" or answer == nil then return {} end
  if type(answer) ~= "string" then
    error(where() .. name .. " must return nil or a text, it returned " .. describe(answer), 0)
  end
  check_text(name, answer)
  return { refusal = answer }
end

return hooks
