"""Simulated workers who use the real pages over HTTP, and rehearsals."""
