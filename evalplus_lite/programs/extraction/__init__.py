"""From a model's answer to a program: fences, prose, repeated prompts, odd characters, lost heads.

Correct code is never damaged: an answer that is a program and defines the entry point stays as it
is, byte for byte, and so does one that no program can be made of. Nothing is run here.
"""

from evalplus_lite.programs.extraction.extraction import extract_bounded as extract
from evalplus_lite.programs.extraction.extraction import joined
from evalplus_lite.programs.extraction.trimming import STEPS, Extraction, Kind, Step

__all__ = ["STEPS", "Extraction", "Kind", "Step", "extract", "joined"]
