"""Reading what jobs have written: folders of results, their rows, programs and summaries."""
