"""One page of what jobs wrote: an HTML file that needs no network, with its data inside as JSON.

``gathering`` says what the data is and makes it of outputs, a task at a time; ``sections`` are the
parts that are read without a script; ``rendering`` makes the page's text.
"""
