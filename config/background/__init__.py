"""Background work: the job table, its workers, and the doorbell.

A ``Job`` row is the truth; Celery only rings. Rooms register what they can do in their ``jobs.py``
with :func:`config.background.registry.job_kind` and ring with :func:`config.background.services.start`.
"""
