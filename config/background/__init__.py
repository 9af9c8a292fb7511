"""Background work: the job table, its workers, and the doorbell.

A ``Job`` row is the truth; Celery only rings. Rooms register their kinds of job in their ``jobs.py``
with :func:`config.background.job_kinds.job_kind` and start them with :func:`config.background.services.start`.
"""
