"""Speed and memory against peers, on this machine, in one run."""
