"""The parts that all commands share: options, progress, exit status, and printed command lines."""
