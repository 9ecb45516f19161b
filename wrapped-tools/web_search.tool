@name web_search
@wrapped google_search
