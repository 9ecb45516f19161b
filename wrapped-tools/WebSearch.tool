@name WebSearch
@wrapped google_search
@example {"query": "sqlite write-ahead log"}
