"""What models' predictions show: by model, package, construct and measure of the code."""
