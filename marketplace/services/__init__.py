"""What the marketplace does. One function per API operation, named after it, and what workers do.

Rows are locked in one order everywhere (HIT, assignment, worker, requester), so that two calls never wait
for each other in a circle.
"""
