List directories with ls. No shell: quote nothing. Example: ["-la", "src/"].

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
