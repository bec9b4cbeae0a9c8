"""One page of what jobs wrote: an HTML file that needs no network, with its data inside as JSON.

``document`` says what the data is; ``gathering`` makes it of outputs, a task at a time; ``suites``
and ``tables`` are the parts that are read without a script; ``rendering`` makes the page's text.
"""
