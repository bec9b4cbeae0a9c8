"""tries: never finish loading, without using CPU time
sound: timeout
"""
import threading

threading.Event().wait()
