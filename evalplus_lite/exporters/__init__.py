"""Other people's formats: evalplus, the original HumanEval, pytest, the Hugging Face hub."""
