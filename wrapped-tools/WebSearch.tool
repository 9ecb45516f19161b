@name web_search
@wrapped google_search
@example {"query": "sqlite write-ahead log"}
