Search files with grep. -r is for directories; -e goes before a pattern that begins with a dash.
No shell: quote nothing. Example: ["-rnE", "foo|bar", "src/"].

@title Grep Pattern Search
@name Grep
@wrapped run_command
@command grep -D skip {arguments}
@example {"arguments": ["-rn", "TODO", "."]}
@access read
@pattern -e --regexp
@value -X -A --after-context -B --before-context -C --context -m --max-count -d --directories -D --devices
    --include --exclude --exclude-dir --label --binary-files --group-separator
@deny -f --file --exclude-f* --include-f* -R --de* -D
@param arguments {array<string>} [required] Options, the pattern, then files or directories.
