@name web_search
@wrapped google_search
@example {"q": "sqlite write-ahead log"}
