"""What the benchmarks compare with, written from the papers."""
