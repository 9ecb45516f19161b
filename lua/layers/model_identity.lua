-- Who the model is, and the character its owner gave it.

local tools = require "tools"

return function(builder)
  local model = tools.current_model()
  local words = string.format("You are @%s. People call you by writing @%s.", model.name, model.name)
  if model.system_prompt ~= "" then words = words .. "\n\n" .. model.system_prompt end
  builder:add_layer("model_identity", 10, words, true, { required = true })
end
