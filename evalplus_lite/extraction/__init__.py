"""From a model's answer to a program: fences, prose, repeated prompts, odd characters, lost heads.

Correct code is never damaged: an answer that is a program and defines the entry point stays as it
is, byte for byte, and one that nothing can be made of does, too. Nothing is run here.
"""

from evalplus_lite.extraction.extraction import STEPS, Extraction, Step, extract, joined

__all__ = ["STEPS", "Extraction", "Step", "extract", "joined"]
