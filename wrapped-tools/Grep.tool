Search the text of files in the room's workspace, with grep. Answers with the lines that match, or says
that there are none. Begin with -r to search directories and -n to have line numbers. Paths that lead
out of the workspace are refused, and so are options that read patterns from files; use -r, not -R.
Common usage: ["-rn", "TODO", "."] to find a word everywhere, ["-rnE", "--include=*.ts", "foo|bar", "src/"]
for an expression in some files, ["-rl", "import", "."] for the names of the files alone,
["-n", "-C", "3", "main", "app.py"] for lines with what is around them. No shell reads the arguments,
so give patterns as they are, without quotes; write -e before a pattern that begins with a dash.

@title Grep Pattern Search
@name Grep
@wrapped run_command
@command grep -D skip {arguments}
@example {"arguments": ["-rn", "TODO", "."]}
@access read
@pattern -e --regexp
@value -A --after-context -B --before-context -C --context -m --max-count -d --directories -D --devices
    --include --exclude --exclude-dir --label --binary-files --group-separator
@deny -f --file --exclude-f* --include-f* -R --de* -D
@param arguments {array<string>} [required] Arguments for grep: options, the pattern, then files or directories.
