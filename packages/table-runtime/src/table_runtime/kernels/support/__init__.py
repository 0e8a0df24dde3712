"""Functions that several families of kernels share."""
