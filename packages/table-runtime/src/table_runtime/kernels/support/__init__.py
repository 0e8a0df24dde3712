"""What several families of kernels need."""
