List directories of the workspace with ls. No shell reads the arguments: to find files by a pattern use Glob.
Examples: ["-la", "src/"] for details and hidden files, ["-R", "docs"] for all below a directory.

@title List Directory Contents
@name LS
@wrapped run_command
@command ls {arguments}
@example {"arguments": ["-la", "src/"]}
@access read
@value -I --ignore --hide -w --width -T --tabsize --block-size --time-style --quoting-style --format --sort --time
    --indicator-style
@deny -L -H --de*
@param arguments {array<string>} [required] Options, then files or directories.
