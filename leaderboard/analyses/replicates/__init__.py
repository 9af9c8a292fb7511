"""What the board would have been under each of several complete sets of judgments."""
