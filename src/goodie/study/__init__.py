"""Numbers: cells of an experiment, and the rows they become."""
