"""Extraction of a program from a model's answer: fences, prose, odd characters, missing headers.

Correct code is never damaged: an answer that is a program and defines the entry point stays
unchanged, byte for byte, and so does an answer without a program. Nothing is run here.
"""

from evalplus_lite.programs.extraction.extraction import extract_bounded as extract
from evalplus_lite.programs.extraction.extraction import joined
from evalplus_lite.programs.extraction.trimming import STEPS, Extraction, Kind, Step

__all__ = ["STEPS", "Extraction", "Kind", "Step", "extract", "joined"]
