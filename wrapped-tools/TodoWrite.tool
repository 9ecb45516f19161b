@name TodoWrite
@wrapped todo_write
