@name Read
@wrapped read_file
@example {"file_path": "src/main.c", "start_line": 1, "end_line": 40}
