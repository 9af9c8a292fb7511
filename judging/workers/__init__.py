"""Workers: identities, refusals, block lists, unfinished tasks, and messages."""
