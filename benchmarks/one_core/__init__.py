"""What attention costs on one core of this processor, in NumPy: the program of `make bench`."""
