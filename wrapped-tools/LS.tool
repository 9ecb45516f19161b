List the contents of directories in the room's workspace, with ls. Paths that lead out of the workspace
are refused.
Common usage: ["."] for the top directory, ["-la", "src/"] for details and hidden files too,
["-R", "docs"] for everything below a directory, ["-t"] for the newest first. No shell reads the
arguments: ["*.ts"] is a file of that name, so use Glob to find files by pattern.

@title List Directory Contents
@name LS
@wrapped run_command
@command ls {arguments}
@example {"arguments": ["-la", "src/"]}
@access read
@value -I --ignore --hide
@deny -L -H --de*
@param arguments {array<string>} [required] Arguments for ls: options, then files or directories.
