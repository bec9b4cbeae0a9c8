"""The report page: an HTML file that needs no network and contains its data as JSON.

``gathering`` documents the data and builds it from outputs, one task at a time; ``sections`` are
the parts that need no script; ``rendering`` writes the page.
"""
