Find files in the room's workspace by name, size, age or type, with find. The search begins in the
workspace; give a directory as the first argument to search there. Only files are listed, not
directories. Nothing can be changed or run: actions such as -exec and -delete are refused, and so are
paths that lead out of the workspace.
Common usage: [".", "-name", "*.ts"] for all TypeScript files, ["src/", "-iname", "*test*"] for names
in any case, [".", "-mtime", "-1"] for what changed since yesterday, [".", "-maxdepth", "1"] for the
top directory alone. No shell reads the arguments, so give patterns as they are, without quotes.

@title Glob Pattern Matching
@name Glob
@wrapped run_command
@command find {arguments} -type f
@example {"arguments": ["src/", "-name", "*.ts"]}
@access read
@value -name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -printf -regextype
@deny -exec* -ok* -delete -fprint* -fls -files0-from* -follow -L -H -D*
@param arguments {array<string>} [required] Arguments for find: a directory, then tests, one word each.
