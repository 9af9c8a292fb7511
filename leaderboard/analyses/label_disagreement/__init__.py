"""Where two sets of labels disagree about the same passages."""
