Find files of the workspace with find. Only files are listed, no directories. Actions such as -exec and
-delete are refused, and so are paths outside the workspace. No shell reads the arguments: quote nothing.
Examples: [".", "-name", "*.ts"] for all TypeScript files, ["src/", "-mtime", "-1"] for what changed since
yesterday.

@title Glob Pattern Matching
@name Glob
@wrapped run_command
@command find {arguments} -type f
@example {"arguments": ["src/", "-name", "*.ts"]}
@access read
@deny -exec* -ok* -delete -fprint* -fls -files0-from* -follow -L -H -D*
@param arguments {array<string>} [required] A directory, then tests, one word each.
