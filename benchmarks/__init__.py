"""Benchmarks of attention: programs that measure, record, and compare with the book's targets.

    python -m benchmarks.one_core                                  one core, in NumPy: `make bench`
    python -m benchmarks.gpu --device cuda --out gpu.json          one device, in PyTorch
    python -m benchmarks.checking FILE.json                        what is wrong with a recording
    python -m benchmarks.libraries                                 what libraries do, not how fast

Run them from the root of the repository: this folder is not installed with `attnlib`.  `recording`
writes what both programs measure, `checking` reads it and refuses what cannot be.
"""
