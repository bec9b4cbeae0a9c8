"""problem: text
tries: an exception message that repaints the terminal
sound: error
"""
def text(n):
    raise ValueError("\x1b[2J\x1b[1;32mpass\x07\r" + "[red]" * 3)
