Find files with find; no directories. Actions such as -exec are refused. No shell: quote nothing. Example:
["src/", "-name", "*.ts"].

@title Glob Pattern Matching
@name Glob
@wrapped run_command
@command find {arguments} -type f
@example {"arguments": ["src/", "-name", "*.ts"]}
@access read
@deny -exec* -ok* -delete -fprint* -fls -files0-from* -follow -L -H -D*
@param arguments {array<string>} [required] A directory, then tests, one word each.
