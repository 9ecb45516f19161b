-- What a model reads in a room without a script of its own. This file runs in the same environment as the
-- room's script, which may redefine either function.

function room_tool_scope()
  local scope = tools.room_kv_get("tool_scope")
  if scope == nil then return "all" end
  return scope
end

function default_wrap(target_tokens)
  return wrap(target_tokens)
    :system()
    :model_identity()
    :tools(room_tool_scope())
    :room()
    :summary()
    :history({ limit = 200, steps = true })
    :participants()
    :user()
end
