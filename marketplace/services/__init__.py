"""The marketplace's services: one function per API operation, named after it, and the actions of workers.

Rows are always locked in the same order (HIT, assignment, worker, requester), so that calls cannot deadlock.
"""
