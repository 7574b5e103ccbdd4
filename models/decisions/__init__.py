"""What to decide and when: growth, futures nobody knows, break-evens, and which assumption matters most."""
