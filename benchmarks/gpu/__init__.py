"""What attention costs on one device: naive, fused and compiled, each beside its floor."""
