@name WebFetch
@wrapped web_fetch
@example {"url": "https://example.org/", "format": "markdown"}
