"""tries: a module-level __getattr__ that makes up the entry point
sound: error
"""
def __getattr__(name):
    return lambda a, b: a + b
